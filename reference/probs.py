"""What one does with a row of probabilities, on floats or on Fractions alike."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Probs = NDArray[Any]
"""Last axis the vocabulary; float64 when sampling, object (Fraction) when exact."""


def residual(p: Probs, q: Probs) -> Probs:
    """What is left of p once q has been served: max(p - q, 0), not normalised."""
    left: Probs = np.maximum(p - q, 0)
    return left


def without(row: Probs, token: int) -> Probs:
    """The row with `token` taken out, not normalised."""
    return np.where(np.arange(len(row)) == token, 0, row)


def one_hot(token: int, like: Probs) -> Probs:
    """All mass on `token`, in the arithmetic of the row `like`."""
    return np.where(np.arange(len(like)) == token, like.dtype.type(1), 0 * like)


def number(x: Any, like: Probs) -> Any:
    """The number x in the arithmetic of the row `like`."""
    return like.dtype.type(x)


def entropy(row: Probs) -> float:
    """In nats. Always a float: logarithms leave the rationals."""
    weights = np.asarray(row, dtype=float)
    weights = weights[weights > 0]
    return float(-(weights * np.log(weights)).sum())


def top(row: Probs, n: int) -> list[int]:
    """The n likeliest tokens that are possible at all, the lowest of equals first.

    >>> top(np.array([0.2, 0.5, 0.3, 0.0]), 9)
    [1, 2, 0]
    >>> top(np.array([0.2, 0.2, 0.4, 0.2]), 2)
    [2, 0]
    """
    likely = np.flatnonzero(row > 0)
    if 0 < n < len(likely):
        least = np.partition(row[likely], len(likely) - n)[len(likely) - n]
        likely = likely[row[likely] >= least]
    order = np.argsort(-row[likely], kind="stable")[:n]
    return [int(token) for token in likely[order]]
