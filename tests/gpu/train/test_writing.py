"""Text that the target writes is drawn from its rows."""

from typing import Any

import numpy as np
import pytest

from reference.logits import softmax
from reference.model import transformer
from specsim import seam
from tests.gpu.cases import torch
from tests.reference.model.small import PLAIN, model, random_weights

pytestmark = pytest.mark.torch
Transformer = seam.gpu("model.transformer").Transformer
luck, written = seam.gpu("train.luck").luck, seam.gpu("train.writing").written
PROMPTS = [[3, 14, 15], [9, 26, 5]]


def write(
    tokens: int, temperature: float, prompts: Any = PROMPTS, seed: int = 0
) -> Any:
    weights = random_weights(transformer.shapes(PLAIN))
    made = Transformer(PLAIN, weights, len(prompts), 32, dtype=torch.float64)
    chance = luck("text", seed)
    return written(made, torch.tensor(prompts), tokens, chance, temperature)


def test_at_a_low_temperature_it_is_greedy() -> None:
    text = write(8, 1e-4).tolist()
    for prompt, found in zip(PROMPTS, text, strict=True):
        expected = list(prompt)
        for _ in range(8):
            said = model().extend(expected, range(-1, len(expected) - 1))[0][-1]
            expected.append(int(said.argmax()))
        assert found == expected


def test_tokens_are_drawn_from_the_row_at_the_temperature() -> None:
    """A thousand draws lie about as far from the row as chance puts them."""
    draws = 1000
    text = write(1, 2.0, [PROMPTS[0]] * draws)
    found = np.bincount(text[:, -1].numpy(), minlength=PLAIN.vocab) / draws
    logits = model().extend(PROMPTS[0], [-1, 0, 1])[0][-1]
    row = softmax(logits, 2.0)
    expected = draws * row
    chi_square = (draws * (found - row) ** 2 / row).sum()
    assert expected.min() > 0.5
    assert chi_square < PLAIN.vocab + 6 * (2 * PLAIN.vocab) ** 0.5


def test_luck_settles_the_text() -> None:
    assert torch.equal(write(5, 1.0), write(5, 1.0))
    assert not torch.equal(write(5, 1.0), write(5, 1.0, seed=1))
