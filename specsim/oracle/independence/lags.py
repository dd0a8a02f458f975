"""Betting that draws are not independent.

Draws are numbers u[t, r] in [0, 1), of call t and row r, which are uniform whatever
came before if the engine is right (pits.py makes them so). Cut into TILES, the tile of
one draw should say nothing about that of another one which is so many calls and rows
later: a lag. For every lag there are bets that the two tiles are equal, and one bet
that learns which tile follows which (Krichevsky and Trofimov 1981, "The performance of
universal encoding"). Each bet is on a draw given the draws before it, in the order of
calls and then rows, so its product is a test martingale; so is the mean over bets and
lags.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TILES = 4
FAR = 32
"""Calls back that are looked at in the same row."""
NEAR = 4
"""Calls back that are looked at in other rows, and rows to either side."""
EQUAL = np.array([0.4, 0.6, 0.95])
"""Odds that are bet on both tiles' being equal."""


@dataclass(frozen=True)
class Found:
    """log10_e: the largest E at the end of any call; lag: what carries most of it."""

    log10_e: float
    lag: tuple[int, int]

    def __str__(self) -> str:
        calls, rows = self.lag
        back = f"{calls} calls back" if calls else "in the same call"
        return f"{back}, {rows:+} rows" if rows else back


def lags(rows: int) -> list[tuple[int, int]]:
    """How many calls and rows an earlier draw is before a later one.

    >>> len(lags(1))
    32
    """
    beside = range(-min(NEAR, rows - 1), min(NEAR, rows - 1) + 1)
    within = [(0, r) for r in range(1, rows)]
    near = [(t, r) for t in range(1, NEAR + 1) for r in beside]
    return within + near + [(t, 0) for t in range(NEAR + 1, FAR + 1)]


def dependence(u: Array) -> Found:
    """The evidence that the draws u (calls, rows) know of one another.

    NaN where a row had no draw in a call.
    """
    tiles = np.where(np.isnan(u), -1, np.nan_to_num(u) * TILES).astype(int)
    asked = lags(u.shape[1])
    counts = np.zeros((len(asked), TILES, TILES))
    best, worst = 0.0, (0, 0)
    for t in range(len(u)):
        for i, (calls, rows) in enumerate(asked):
            if calls <= t:
                count(counts[i], tiles[t - calls], tiles[t], rows)
        logs = log_bets(counts)
        log_e = float(np.logaddexp.reduce(logs, axis=None)) - math.log(logs.size)
        if log_e > best:
            best, worst = log_e, asked[int(logs.max(1).argmax())]
    return Found(best / math.log(10), worst)


def count(into: Array, earlier: NDArray[Any], now: NDArray[Any], rows: int) -> None:
    """Count pairs of an earlier tile and the one `rows` further now."""
    n = len(now) - abs(rows)
    a = earlier[max(-rows, 0) :][:n]
    b = now[max(rows, 0) :][:n]
    both = (a >= 0) & (b >= 0)
    np.add.at(into, (a[both], b[both]), 1)


def log_bets(counts: Array) -> Array:
    """Log of what each bet has made, (lags, bets), from counts (lags, TILES, TILES)."""
    from scipy.special import gammaln

    total, same = counts.sum((1, 2)), np.trace(counts, axis1=1, axis2=2)
    other = (1 - EQUAL) / (1 - 1 / TILES)
    equal = np.outer(same, np.log(EQUAL * TILES))
    equal += np.outer(total - same, np.log(other))
    half, n = 0.5, counts.sum(2)
    learnt = (gammaln(counts + half) - gammaln(half)).sum((1, 2))
    learnt -= (gammaln(n + half * TILES) - gammaln(half * TILES)).sum(1)
    return np.column_stack([equal, learnt + total * math.log(TILES)])
