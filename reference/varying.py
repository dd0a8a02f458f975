"""Acceptance that varies: from text to text, and along a text.

A mean rate does not do where acceptance varies: drafts that go well go on well. Rates
are those of a chain of k tokens, rates[i] the acceptance of token i given all before
it, which `theory.tokens_by_position` turns into tokens. Fractions in, Fractions out;
floats or arrays of them likewise.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

Number = Any
"""A Fraction, an int, a float or an array of floats."""


def rates_of_mixture(
    weights: Sequence[Number], alphas: Sequence[Number], k: int
) -> list[Number]:
    """Rates by position when a share weights[j] of the steps has acceptance alphas[j].

    The further a draft is accepted the likelier it is an easy one: the rate at i is the
    mean of alpha^(i + 1) over that of alpha^i.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> [str(rate) for rate in rates_of_mixture([half, half], [1, 0], 3)]
    ['1/2', '1', '1']
    """
    moments = [
        sum(w * alpha**i for w, alpha in zip(weights, alphas, strict=True))
        for i in range(k + 1)
    ]
    if not all(np.all(each > 0) for each in moments[:-1]):
        raise ValueError("no rate where nothing is ever accepted before")
    return [moments[i + 1] / moments[i] for i in range(k)]


def rates_of_beta(mean: Number, correlation: Number, k: int) -> list[Number]:
    """The same when each step draws its alpha from a beta law.

    mean:        of alpha
    correlation: of any two tests of one step, which is the variance of alpha over the
                 largest it can be, mean (1 - mean): 0, alpha is constant; 1, a step is
                 accepted as a whole or not at all

    Beta(m n, (1 - m) n) has moments of which each is (m n + i) / (n + i) times the one
    before, and correlation 1 / (n + 1).

    >>> from fractions import Fraction
    >>> [str(rate) for rate in rates_of_beta(Fraction(1, 2), Fraction(1, 3), 3)]
    ['1/2', '2/3', '3/4']
    """
    _within("mean", mean)
    _within("correlation", correlation)
    drift = [i * correlation / (1 + (i - 1) * correlation) for i in range(1, k)]
    return [mean, *(mean + (1 - mean) * share for share in drift)][:k]


def rates_in_runs(mean: Number, correlation: Number, k: int) -> list[Number]:
    """The same when drafts are right in runs, in the long run of a text.

    mean:        share of the positions of a text at which the draft is right
    correlation: of one position with the next, from 0 (independent) to less than 1

    Whether a draft is right is a two-state Markov chain along the text. Steps begin
    after a position at which it was wrong, or, when all k before were right, after one
    that was not drafted. So the first rate falls below the mean, and the others rise.

    >>> from fractions import Fraction
    >>> [str(rate) for rate in rates_in_runs(Fraction(1, 2), Fraction(1, 2), 3)]
    ['32/101', '3/4', '3/4']
    """
    _within("mean", mean)
    _within("correlation", correlation, below=True)
    right, wrong = mean + correlation * (1 - mean), mean * (1 - correlation)
    skipped = right * right + (1 - right) * wrong
    # first = (1 - all) wrong + all skipped, where all = first right^(k - 1)
    first = wrong / (1 - right ** max(k - 1, 0) * (skipped - wrong))
    return [first, *[right] * (k - 1)][:k]


def _within(name: str, value: Number, below: bool = False) -> None:
    if not np.all((value >= 0) & ((value < 1) if below else (value <= 1))):
        most = "less than 1" if below else "1"
        raise ValueError(f"{name}={value}: from 0 to {most}")
