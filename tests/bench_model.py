"""What a pass costs in NumPy and in torch: `pytest tests/bench_model.py`.

Thirteen million parameters after 200 tokens, as one token more or as five.
"""

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reference.model import transformer
from reference.model.config import Config
from specsim import seam
from tests.gpu.cases import torch
from tests.reference.model.small import random_weights

CONFIG = Config(8192, 384, 1024, 6, 6, 3, 64, tied=True)
TEXT = [*range(200)]


def weights() -> Any:
    return random_weights(transformer.shapes(CONFIG), 0, np.float32)


def chain(tokens: int) -> tuple[list[int], list[int]]:
    return TEXT[:tokens], [*range(-1, tokens - 1)]


@pytest.mark.benchmark(group="pass")
@pytest.mark.parametrize("tokens", [1, 5])
def test_reference(tokens: int, benchmark: BenchmarkFixture) -> None:
    model = transformer.Transformer(CONFIG, weights())
    model.extend(*chain(len(TEXT)))
    model.keep(range(len(TEXT)))

    def step() -> None:
        model.extend(*chain(tokens))
        model.keep([])

    benchmark(step)


@pytest.mark.torch
@pytest.mark.benchmark(group="pass")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("tokens", [1, 5])
def test_twin(tokens: int, dtype: Any, benchmark: BenchmarkFixture) -> None:
    twin = seam.gpu("model.transformer")
    model = twin.Transformer(CONFIG, weights(), 1, 256, dtype)

    def trees(size: int) -> Any:
        return [torch.tensor([row]) for row in chain(size)]

    model.extend(*trees(len(TEXT)))
    model.keep(torch.tensor([TEXT]))
    nothing = torch.empty(1, 0, dtype=torch.int64)

    def step() -> None:
        model.extend(*trees(tokens))
        model.keep(nothing)

    benchmark(step)
