"""How many tokens bets on an unknown fault need, and what so many can find.

A row that is off by a total variation tv has a chi-square of 4 tv^2 a token at least,
however many cells it has (Cauchy-Schwarz), so the least favourable fault is the one
that is off by as much everywhere. Where counts are large the bets of
`evidence.log_dirichlet` with prior k then make, X being chi-square of cells - 1 degrees
of freedom and noncentrality 4 n tv^2,

    n / (n + k) * X / 2 - (cells - 1) / 2 * ln(1 + n / k)

(Laplace's approximation). It plans; nothing is rejected by it.
"""

import math

import numpy as np

from specsim.oracle.evidence import CONCENTRATIONS, stakes

POWER = 0.999
MOST = 1e12
"""Tokens; who needs more needs another test."""


def hurdle(false_alarm: float, cases: int, streams: int = 1) -> float:
    """Nats that one row's bets have to make for the whole E to reject.

    The stake on a fault in some one of the cases, then one of `streams` averaged.
    """
    share = float(stakes(0)[0]) / (cases * streams)
    return -math.log(false_alarm * share)


def power(n: float, tv: float, cells: int, nats: float) -> float:
    """The odds that n tokens of a row that is off by tv make so many nats."""
    from scipy.stats import ncx2

    k = CONCENTRATIONS
    free = cells - 1
    needed = nats + math.log(len(k)) + free / 2 * np.log1p(n / k)
    return float(ncx2.sf(2 * needed * (n + k) / n, free, 4 * n * tv**2).max())


def tokens(tv: float, cells: int, nats: float) -> int:
    """The fewest that find it with POWER.

    >>> tokens(0.05, 16, 20.7) < tokens(0.05, 64, 20.7) < tokens(0.02, 64, 20.7)
    True
    """
    low, high = 0.0, math.log(MOST)
    while high - low > 1e-4:
        middle = (low + high) / 2
        enough = power(math.exp(middle), tv, cells, nats) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return math.ceil(math.exp(high))


def found(n: int, cells: int, nats: float) -> float:
    """The least tv that n tokens find with POWER; 1 where they find nothing."""
    low, high = math.log(1e-6), 0.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        enough = n and power(n, math.exp(middle), cells, nats) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return math.exp(high)
