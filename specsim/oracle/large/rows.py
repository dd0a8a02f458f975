"""Rows of real size, made from a seed on either side of a pipe and never sent as text.

A target falls off as Zipf's law does, with noise, over ids in random order; the draft
is the target with noise. Rows depend on the position alone, not on the prefix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.engines.contract import Call

Array = NDArray[np.float64]
EXPONENT = 1.4
"""Of Zipf's law: the likeliest of 128k words has about a quarter of the mass."""
NOISE, DISTANCE = 0.8, 0.8
"""Standard deviations in nats: of the target about the law, of the draft about it."""


class Rows(NamedTuple):
    """p (drafts + 1, vocab) and q (drafts, vocab)."""

    p: Array
    q: Array


@dataclass(frozen=True)
class Large:
    """One world.

    kept:    words that a filter leaves in each row; 0: all.
    padding: ids at the end that are no words: their probability is 0.
    """

    vocab: int
    kept: int = 0
    padding: int = 0
    seed: int = 0
    drafts: int = 1

    @property
    def rows(self) -> Rows:
        """The same for equal worlds, and only to be read."""
        return made(self)

    def call(self, tokens: Sequence[int]) -> Call:
        """What an engine is asked; its rows are arrays, which nobody copies."""
        rows: Any = self.rows
        parents = [*range(-1, len(tokens) - 1)]
        return Call("verify", rows.p, rows.q, [*tokens], parents, "iid")

    def __str__(self) -> str:
        cut = f", {self.kept} kept" if self.kept else ""
        cut += f", {self.padding} of padding" if self.padding else ""
        return f"V {self.vocab:,}{cut}"


WORLDS = (
    Large(32_000),
    Large(32_064, kept=64, padding=64, seed=1),
    Large(128_256, seed=2),
    Large(128_512, padding=256, seed=3),
)


@lru_cache(maxsize=8)
def made(world: Large) -> Rows:
    rng = np.random.default_rng([world.seed, world.vocab])
    words = world.vocab - world.padding
    law = -EXPONENT * np.log(np.arange(1, words + 1))
    p, q = np.zeros((2, world.drafts + 1, world.vocab))
    for i in range(world.drafts + 1):
        logits = rng.permutation(law + NOISE * rng.normal(size=words))
        noisy = logits + DISTANCE * rng.normal(size=words)
        p[i, :words] = filtered(softmax(logits), world.kept)
        q[i, :words] = filtered(softmax(noisy), world.kept)
    p.flags.writeable = q.flags.writeable = False
    return Rows(p, q[:-1])


def softmax(logits: Array) -> Array:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


def filtered(row: Array, kept: int) -> Array:
    """The row's likeliest words alone, renormalised; all of them where kept is 0.

    >>> filtered(np.array([0.5, 0.125, 0.375]), 2).round(3).tolist()
    [0.571, 0.0, 0.429]
    """
    if not kept:
        return row
    left = np.where(row >= np.partition(row, -kept)[-kept], row, 0)
    return np.asarray(left / left.sum())


def drafted(world: Large, count: int, rng: np.random.Generator) -> list[list[int]]:
    """So many drafts, each token drawn from its own row of q."""
    cdf = np.cumsum(world.rows.q, axis=1)
    u = rng.random((count, len(cdf)))
    rows = [np.searchsorted(c, u[:, i] * c[-1], "right") for i, c in enumerate(cdf)]
    return [[*map(int, tokens)] for tokens in np.transpose(rows)]
