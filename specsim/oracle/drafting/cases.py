"""Small language models for drafters, and what they are asked to go on from.

Most rows are binary fractions, on which floats are exact; others are not, so that a
row rounded to 16 bits differs from what it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from specsim.oracle import cases
from specsim.oracle.drafting.contract import Asked

ROWS = 5
"""Rows of a model, which take turns as the text goes on."""
COUNT = {"smoke": 4, "quick": 12, "full": 40, "nightly": 120}
"""Random models by budget."""
CONTEXTS = (1, 0, 1), (0,), (1, 1, 0, 1, 0, 1)
"""Texts with a past, with none, and with one that repeats itself."""
TEMPERATURES = 0.5, 0.0


@dataclass(frozen=True)
class Case:
    """One model and text. binary: whether floats hold its rows exactly."""

    name: str
    asked: Asked
    binary: bool = True

    def at(self, temperature: float) -> "Case":
        asked = replace(self.asked, temperature=temperature)
        return replace(self, name=f"{self.name}/T={temperature:g}", asked=asked)


def every(budget: str, depth: int = 3) -> Iterator[Case]:
    """The cases of a budget, the smallest first."""
    yield Case("elevenths", asked([[5, 3, 3], [1, 7, 3], [3, 3, 5]], 1), False)
    yield Case("close", asked([[65, 63, 128], [1, 1, 2], [63, 128, 65]], 2))
    yield Case("faint", asked([[4091, 2, 1, 1, 1], [1, 1, 4091, 1, 2]], 1))
    flat, sure = [1, 1, 1, 1], ([5, 1, 1, 1], [1, 1, 5, 1], [1, 1, 1, 5])
    yield Case("turning", asked([flat, sure[0], flat, *sure[1:]], 2))
    for seed in range(COUNT[budget]):
        yield random(seed, 1 + seed % depth)


def random(seed: int, k: int) -> Case:
    """Rows of powers of two over eighths, zeros among them."""
    rng = np.random.default_rng([seed, 11])
    vocab = 2 + seed % 4
    rows = [cases.halves(rng, vocab) for _ in range(ROWS)]
    context = CONTEXTS[seed % len(CONTEXTS)]
    return Case(f"binary-{seed}", asked(rows, k, context))


def asked(
    rows: Sequence[Sequence[int]], k: int, context: tuple[int, ...] = CONTEXTS[0]
) -> Asked:
    scaled = tuple(tuple(w / sum(row) for w in row) for row in rows)
    return Asked(scaled, context, k)
