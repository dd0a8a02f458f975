"""Partitions of a large vocabulary that keep what faults do to it.

What a verifier does to a token depends on p and q there and on constants of the rows,
unless it confuses ids; so bins along p, along p / q and along the ids lose little of a
fault's total variation, where bins at random would lose half of it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.large.rows import Array

BINS = 16
MARKS = "the first id", "the last id", "the likeliest token", "an unmarked token"
Labels = NDArray[np.int64]


class Partition(NamedTuple):
    """Bins of a row: one for each token (V,), and the mass of each (bins + 1,).

    The last bin holds what is impossible, whose mass is 0.
    """

    labels: Labels
    mass: Array


def ranks(p: Array, q: Array) -> Labels:
    """Bins along p from the likeliest on, each some times as wide as the last."""
    labels = np.empty(len(p), dtype=np.int64)
    edges = np.geomspace(1, len(p), BINS).round()
    order = np.argsort(-p, kind="stable")
    labels[order] = np.searchsorted(edges, np.arange(len(p)), "right")
    return labels


def ratios(p: Array, q: Array) -> Labels:
    """Bins of equal mass along p / q."""
    ratio = np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0)
    return alike(p, np.argsort(ratio, kind="stable"))


def ids(p: Array, q: Array) -> Labels:
    """Bins of equal mass along the ids, as an inverse CDF runs through them."""
    return alike(p, np.arange(len(p)))


def marks(p: Array, q: Array) -> Labels:
    """The tokens that faults fall back on: the likeliest, the first, the last."""
    labels = np.full(len(p), len(MARKS) - 1, dtype=np.int64)
    labels[[0, -1, int(np.argmax(p))]] = range(len(MARKS) - 1)
    return labels


PARTITIONS: dict[str, Callable[[Array, Array], Labels]] = {
    "rank": ranks,
    "p/q": ratios,
    "id": ids,
    "marked": marks,
}


def alike(p: Array, order: Labels) -> Labels:
    """BINS of equal mass in that order."""
    run = np.cumsum(p[order])
    labels = np.empty(len(p), dtype=np.int64)
    middle = (run - p[order] / 2) / run[-1]
    labels[order] = np.minimum(middle * BINS, BINS - 1).astype(np.int64)
    return labels


def named(name: str, at: int) -> str:
    """A bin, for people.

    >>> named("rank", 0), named("marked", 1)
    ('rank bin 1 of 16', 'the last id')
    """
    if at == BINS:
        return "tokens of probability 0"
    return MARKS[at] if name == "marked" else f"{name} bin {at + 1} of {BINS}"


def partition(name: str, p: Array, q: Array) -> Partition:
    """One row, impossible tokens set apart."""
    labels = np.where(p > 0, PARTITIONS[name](p, q), BINS)
    return Partition(labels, np.bincount(labels, p, BINS + 1).astype(float))
