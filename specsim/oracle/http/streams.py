"""Long texts against rows that change with every token.

Bets on events whose odds are known at each token: it is among the likeliest few; the
randomised integral transform of it falls in this eighth of [0, 1), or in the half that
the one before fell in. A bet of tilt t on an event of odds w pays

    exp(t) / (1 + w (exp(t) - 1)) if it happens, 1 / (1 + w (exp(t) - 1)) if not,

so its mean is 1, and the mixture of all events and tilts is a test martingale (Ville).
Where rows are only known within e**-eta to e**eta, odds are taken from the end of their
range that pays least: no server within it can make money on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.evidence import LN10, Array

TILTS = np.concatenate([-np.geomspace(0.02, 1.5, 8), np.geomspace(0.02, 1.5, 8)])
RANKS = 1, 2, 3, 5, 10, 20
"""Ranks at which bins end: the likeliest, the second, the third, 4-5, 6-10, 11-20."""
EIGHTHS = 8
Event = tuple[NDArray[Any], Array]
"""Whether it happened at each token (n,), and the odds that it would."""


class Seen(NamedTuple):
    """What there is to know of a text of n tokens.

    odds: (n,) of each token. rank: (n,) of it, 0 the likeliest. upto: (n, bins + 1)
    mass of the ranks before each edge. u: (n,) the integral transforms.
    """

    odds: Array
    rank: Array
    upto: Array
    u: Array


@dataclass(frozen=True)
class Stream:
    """What a text made. log10_e: the largest at any token; at: where it was reached.

    impossible: the first token that has no odds; that is proof.
    """

    log10_e: float
    tokens: int
    at: int
    impossible: int | None = None


def seen(tokens: Sequence[int], rows: Array, luck: Array) -> Seen:
    """Of tokens (n,), rows (n, V), and luck (n,): uniforms that are ours alone."""
    at = np.arange(len(tokens)), np.asarray(tokens, dtype=np.intp)
    odds = rows[at]
    order = np.argsort(-rows, axis=1, kind="stable")
    rank = (order == at[1][:, None]).argmax(1)
    mass = np.take_along_axis(rows, order, 1).cumsum(1)
    upto = np.concatenate([np.zeros((len(rows), 1)), mass], 1)[:, edges(rows.shape[1])]
    return Seen(odds, rank, upto, rows.cumsum(1)[at] - odds + luck * odds)


def edges(vocab: int) -> list[int]:
    """Ranks at which bins begin, and the end of the last.

    >>> edges(8)
    [0, 1, 2, 3, 5, 8]
    """
    return [0, *(edge for edge in RANKS if edge < vocab), vocab]


def judged(texts: Sequence[Seen], vocab: int, eta: float = 0.0) -> Stream:
    """Of texts one after the other; eta: nats within which their rows are known."""
    odds, rank, upto, u = (np.concatenate(part) for part in zip(*texts, strict=True))
    if not odds.all():
        first = int(odds.argmin())
        return Stream(np.inf, len(odds), first, first)
    events = [*_ranks(rank, upto, edges(vocab)), *_eighths(u)]
    logs = np.concatenate([_paid(hit, share, eta) for hit, share in events])
    money = np.logaddexp.reduce(logs) - np.log(len(logs))
    best = int(money.argmax())
    return Stream(max(0.0, float(money[best]) / LN10), len(odds), best)


def _ranks(rank: Array, upto: Array, bins: list[int]) -> list[Event]:
    """Whether each token is in each bin of ranks, and the odds of it."""
    return [
        ((rank >= low) & (rank < high), upto[:, i + 1] - upto[:, i])
        for i, (low, high) in enumerate(pairwise(bins))
    ]


def _eighths(u: Array) -> list[Event]:
    """The same of the transform u, uniform if the rows are right, and of its halves."""
    even = np.full(len(u), 1 / EIGHTHS)
    cells = [((u * EIGHTHS).astype(int) == i, even) for i in range(EIGHTHS)]
    alike = np.concatenate([[False], (u[1:] < 0.5) == (u[:-1] < 0.5)])
    half = np.full(len(u), 0.5)
    half[0] = 0.0
    return [*cells, (alike, half)]


def _paid(hit: NDArray[Any], share: Array, eta: float) -> Array:
    """Log of the money of each tilt after each token (tilts, n)."""
    tilt = TILTS[:, None]
    worst = np.where(
        tilt > 0, np.minimum(1, share * np.exp(2 * eta)), share * np.exp(-2 * eta)
    )
    paid: Array = np.cumsum(tilt * hit - np.log1p(worst * np.expm1(tilt)), axis=1)
    return paid
