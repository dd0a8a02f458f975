"""How rows of logits become weights: temperature, top-k, top-p, min-p, in that order.

The filters of gpu/logits, without a sort of the whole row: only words that may be kept
are sorted, and the largest weights of blocks tell which those are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..logits import Filters, Setting, check
from .row import Row

Order = NDArray[np.intp]
FIRST = 64
"""So many of the likeliest words are looked at first for top-p; then 16 times more."""


@dataclass(frozen=True)
class Reading:
    """The sampling of one request; `drafted`: whether q, too, is logits."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    drafted: bool = True

    def p(self, logits: Tensor, room: Row) -> Row:
        """A row of logits (V,) as weights."""
        row = room.read(logits, self.temperature)
        if row.mass > 0:
            if 0 < self.top_k < len(row.words):
                keep(row, likeliest(row, self.top_k)[: self.top_k])
            if self.top_p < 1:
                keep(row, nucleus(row, self.top_p))
            if self.min_p > 0:
                row.words[row.words < self.min_p * row.words.max()] = 0
                row.sum()
        return row

    def q(self, given: Tensor, room: Row) -> Row:
        """The same of what a token was drawn from: logits, or weights as they are."""
        return self.p(given, room) if self.drafted else room.copy(given)


def readings(
    batch: int, temperature: Setting | None, filters: Filters | None, drafted: bool
) -> list[Reading]:
    """The reading of each request; ValueError on a number out of range."""
    filters = filters or Filters()
    check(temperature, filters)
    each = (
        torch.as_tensor(setting).expand(batch).tolist()
        for setting in (1.0 if temperature is None else temperature, *filters)
    )
    return [Reading(t, int(k), p, m, drafted) for t, k, p, m in zip(*each, strict=True)]


def likeliest(row: Row, count: int) -> Order:
    """At least `count` words, the likeliest first; equal weights by word."""
    tops = row.top()
    if count <= len(tops):
        bound: Any = np.partition(tops, -count)[-count]
    else:
        bound = np.partition(row.words, -count)[-count]
    found = np.flatnonzero(row.words >= bound)
    return found[np.argsort(-row.words[found], kind="stable")]


def nucleus(row: Row, mass: float) -> Order:
    """The fewest words, likeliest first, whose share of the mass reaches `mass`."""
    wanted, count = mass * row.mass, FIRST
    while True:
        order = likeliest(row, min(count, len(row.words)))
        upto = row.words[order].cumsum(dtype=np.float64)
        if upto[-1] >= wanted or len(order) == len(row.words):
            return order[: 1 + int(np.searchsorted(upto, wanted))]
        count *= 16


def keep(row: Row, words: Order) -> None:
    """No weight to all other words."""
    weights = row.words[words]
    row.words[:] = 0
    row.words[words] = weights
    row.sum()
