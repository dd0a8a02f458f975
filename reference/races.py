"""Exponential races, and the exact law of one that is read more than once.

Each word z runs for a time e_z ~ Exp(1), all of them independent. Read with weights w,
the race is won by argmin e_z / w_z: by z with odds w_z / sum(w). Two readings with
different weights, p and q, of the same times agree as often as Daliri, Musco and Suresh
(2024) say: sum over x of 1 / sum_z max(p_z / p_x, q_z / q_x).
https://arxiv.org/abs/2408.07978

Their whole joint law is rational. Say readings with weights q1, q2, ..., of which no
two share a word, were won by x1, x2, ... when the clocks e / q showed a1, a2, ..., and
one more, with weights w, is won by y when e / w shows b. All this says of the times is
e_z = a_k q_z at x_k, e_y = b w_y and e_z >= max(a_k q_z, b w_z) elsewhere, so it has
density (product of the q at x_k) w_y exp(-S), where

    S(a, b) = sum over z of max(a_k q_z, b w_z),  q_k being the one that weighs z.

With a_k = r_k b the integral over b leaves K! / S(r, 1)^(K + 1) over a box: r_k is at
least w / q at x_k, lest x_k win this reading as well, and at most w_y / q_y for the q
that weighs y, if any. Each term of S depends on one r only and is linear between the
ratios w_z / q_z, so the integral is a sum of 1 / S over corners, each divided by the
slopes there. Where y is x_k itself, r_k is w / q at it and there is one integral less.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .probs import Probs


class Reading(NamedTuple):
    """The weights with which a race was read, and the word that won."""

    weights: tuple[Any, ...]
    winner: int


def winner(times: Probs, weights: Probs) -> int:
    """The word with the least times / weights of those that weigh something.

    >>> winner(np.array([0.1, 3.0, 1.0]), np.array([0.0, 1.0, 0.5]))
    2
    """
    words, clocks = _run(times, weights)
    return int(words[np.argmin(clocks)])


def lead(times: Probs, weights: Probs) -> Any:
    """How much later the second word arrives; infinite where there is none."""
    first, *rest = sorted(_run(times, weights)[1])
    return rest[0] - first if rest else np.inf


def _run(times: Probs, weights: Probs) -> tuple[Probs, Probs]:
    """The words that run, and when each arrives; later than any float is infinity."""
    words = np.flatnonzero(weights > 0)
    with np.errstate(over="ignore"):
        return words, times[words] / weights[words]


def disjoint(earlier: Sequence[Reading]) -> bool:
    """Does no word weigh anything in two of these?"""
    words = [{z for z, w in enumerate(one.weights) if w} for one in earlier]
    return not any(a & b for a, b in combinations(words, 2))


@cache
def law(earlier: tuple[Reading, ...], weights: tuple[Any, ...]) -> dict[int, Fraction]:
    """The odds of each winner, read with these weights, given `disjoint` readings.

    >>> half = Fraction(1, 2)
    >>> law((Reading((half, half), 0),), (Fraction(1), Fraction(2)))
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    w = _weighing(weights)
    past = [(_weighing(one.weights), one.winner) for one in earlier]
    alone = (weight for z, weight in w.items() if not any(z in q for q, _ in past))
    free, odds = sum(alone, Fraction()), {}
    for y, weight in w.items():
        corners = product(*(list(_ends(q, x, w, y)) for q, x in past))
        terms = (
            prod(share for _, share in corner) / (free + sum(s for s, _ in corner))
            for corner in corners
        )
        if total := sum(terms, Fraction()):
            odds[y] = weight * total
    return odds


def _weighing(weights: Sequence[Any]) -> dict[int, Fraction]:
    return {z: Fraction(weight) for z, weight in enumerate(weights) if weight}


def _ends(
    q: Mapping[int, Fraction], x: int, w: Mapping[int, Fraction], y: int
) -> Iterator[tuple[Fraction, Fraction]]:
    """The part of S that is about the words of q, which x won, and its share in the
    sum: at both ends of each piece on which it is linear and from which y can win.
    """
    total = sum(q.values(), Fraction())
    ratio = {z: w.get(z, Fraction()) / weight for z, weight in q.items()}

    def part(r: Fraction) -> Fraction:
        terms = (max(r * weight, w.get(z, Fraction())) for z, weight in q.items())
        return sum(terms, Fraction())

    if x == y:
        yield part(ratio[x]), total / q[x]
        return
    above = [r for r in {*ratio.values()} if ratio[x] <= r]
    cuts = sorted(r for r in above if y not in q or r <= ratio[y])
    stops = [*cuts[1:], *[None] * (y not in q)]
    for start, stop in zip(cuts, stops, strict=False):
        slopes = (weight for z, weight in q.items() if ratio[z] <= start)
        share = total / sum(slopes, Fraction())
        yield part(start), share
        if stop is not None:
            yield part(stop), -share
