"""How long predictions take: `pytest tests/bench_roofline.py`."""

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from specsim.roofline import deploy
from specsim.roofline.speculation import report, speculate

MILLION = 1_000_000


def scenarios(count: int) -> dict[str, Any]:
    """Acceptance, length, batch and context, each different in each scenario."""
    rng = np.random.default_rng(0)
    return {
        "alpha": rng.uniform(0.4, 0.95, count),
        "k": rng.integers(1, 16, count),
        "batch": rng.integers(1, 256, count),
        "context": rng.integers(1, 8192, count),
    }


@pytest.mark.parametrize("model", ["8b", "qwen3-30b-a3b"])
def test_a_million_speculations(model: str, benchmark: BenchmarkFixture) -> None:
    """One model, one GPU, a million scenarios, none like another."""
    target, asked = deploy(model, "h100", gpus=1), scenarios(MILLION)
    made = benchmark(lambda: speculate(target, "eagle3", tree=0, **asked).speedup)
    assert made.shape == (MILLION,)


def test_one_report(benchmark: BenchmarkFixture) -> None:
    """One scenario, its best length and tree, and every batch up to 4,096."""
    target = deploy("70b", "h100", gpus=4)
    made = benchmark(report, target, "eagle3", alpha=0.7)
    assert made.made.speedup > 1
