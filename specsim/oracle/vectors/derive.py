"""What a step must answer, derived in ways that share as little as they can."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from specsim.oracle.vectors.vector import Number, Step, Tokens
from specsim.rules import RULES
from specsim.seam import probs, randomness

Coin = randomness.Coin
FLOATS: dict[int, Number] = {
    11: lambda x: np.float16(float(x)),
    24: lambda x: np.float32(float(x)),
    53: float,
}
"""Float formats by the bits of their significand."""
NARROW, SINGLE, DOUBLE = 8, 24, 53
"""Bits that a vector may ask for: those of bfloat16, float32 and float64."""


class Asked(NamedTuple):
    """One coin: the answer's interval of u, the cumulative sums that u is compared with
    (of a keeping coin: only prob), and what the weights add up to.
    """

    within: tuple[Fraction, Fraction]
    cdf: list[Fraction]
    mass: Fraction


class Watched:
    """A Source that passes every question on, and notes what was asked, and who won
    which race in which weights.
    """

    def __init__(self, source: randomness.Source):
        self._source = source
        self.asked: dict[Coin, Asked] = {}
        self.won: list[tuple[int, list[Fraction], int]] = []

    def draft(self, i: int, weights: probs.Probs) -> int:
        raise randomness.Refused("a verifier drafts nothing")

    def accept(self, i: int, prob: Any) -> bool:
        kept, prob = self._source.accept(i, prob), Fraction(prob)
        within = (Fraction(0), prob) if kept else (prob, Fraction(1))
        self.asked["accept", i] = Asked(within, [prob], Fraction(1))
        return kept

    def sample(self, r: int, weights: probs.Probs) -> int:
        token = self._source.sample(r, weights)
        sums = [Fraction(0), *accumulate(map(Fraction, weights))]
        cdf = [s / sums[-1] for s in sums]
        within = cdf[token], cdf[token + 1]
        self.asked["sample", r] = Asked(within, cdf[1:], sums[-1])
        return token

    def race(self, d: int, weights: probs.Probs) -> int:
        word = self._source.race(d, weights)
        self.won.append((d, [*map(Fraction, weights)], word))
        return word


class Answer(NamedTuple):
    """The block, how near a coin came to changing it, and which coins decided."""

    block: Tokens
    margin: Fraction
    asked: dict[Coin, Asked]


def by_replay(step: Step) -> Answer | None:
    """The reference with the step's own coins, in exact arithmetic; None where it
    refuses.
    """
    coins = randomness.replay(*step.luck())
    watched = Watched(coins)
    try:
        block = RULES[step.rule].verify(*step.given(), watched)
    except (randomness.Refused, ZeroDivisionError):
        return None
    return Answer(tuple(block), Fraction(coins.margin), watched.asked)


def by_floats(step: Step, bits: int) -> tuple[Tokens, Fraction] | None:
    """Block and margin of the reference in NumPy floats of so many significand bits."""
    number = FLOATS[bits]
    coins = randomness.replay(*step.luck(number))
    try:
        with np.errstate(all="ignore"):
            block = RULES[step.rule].verify(*step.given(number), coins)
    except (randomness.Refused, ZeroDivisionError):
        return None
    return tuple(block), Fraction(float(coins.margin))


def by_branches(step: Step) -> list[Tokens | None]:
    """The blocks of those branches, among every one there is, that the coins lie in.

    Nothing is replayed: a branch is an interval for each coin it asks, and a winner for
    each race, and a rule's branches part the space of all coins and times, so there is
    one; None where it is a refusal.
    """
    p, drafted = step.given()
    verify = RULES[step.rule].verify

    def run(source: randomness.Source) -> tuple[Tokens | None, Watched]:
        watched = Watched(source)
        try:
            return tuple(verify(p, drafted, watched)), watched
        except (randomness.Refused, ZeroDivisionError):
            return None, watched

    every = (outcome for outcome, _ in randomness.branches(run))
    return [block for block, watched in every if _inside(step, watched)]


def _inside(step: Step, watched: Watched) -> bool:
    return all(
        one.within[0] <= step.coin(name) < one.within[1]
        for name, one in watched.asked.items()
    ) and all(_first(step.race[d], row, word) for d, row, word in watched.won)


def _first(times: Sequence[Fraction], weights: list[Fraction], word: int) -> bool:
    """Is no other word there before this one, nor at once with it and of a lower id?

    Time e of weight w is before time f of weight v iff e v < f w.
    """
    others = [
        (times[z] * weights[word], z) for z, w in enumerate(weights) if w and z != word
    ]
    return all((times[word] * weights[z], word) < (late, z) for late, z in others)


def supported(step: Step) -> list[Tokens]:
    """Every block that keeps to the target's support: what is asked of an answer where
    no exact one exists. A path of drafted tokens, then a token more.
    """
    p, drafted = step.given()
    found: list[Tokens] = []
    pending: list[tuple[int, Tokens]] = [(-1, ())]
    while pending:
        node, path = pending.pop(0)
        found += [(*path, y) for y in np.flatnonzero(p[node + 1]).tolist()]
        for child in drafted.children(node):
            if p[node + 1][step.tokens[child]]:
                pending.append((child, (*path, step.tokens[child])))
    return sorted(set(found))


def bits(step: Step, block: Tokens) -> int:
    """The fewest significand bits that hold every number of the step and in which the
    reference answers with `block`, as it does exactly; DOUBLE at most.
    """
    for width, tried in ((NARROW, (11, 24, 53)), (SINGLE, (24, 53))):
        fits = all(_significand(x) <= width for x in numbers(step))
        floats = (by_floats(step, n) for n in tried)
        if fits and all(found and found[0] == block for found in floats):
            return width
    return DOUBLE


def numbers(step: Step) -> list[Fraction]:
    rows = [*step.target.fractions, *(step.draft.fractions if step.draft else [])]
    times = [x for row in step.race for x in row]
    return [x for row in rows for x in row] + [*step.accept, *step.sample, *times]


def _significand(x: Fraction) -> int:
    """Bits that hold x exactly; very many where it is no binary fraction."""
    if x.denominator & (x.denominator - 1):
        return 10**6
    return (x.numerator // (x.numerator & -x.numerator or 1)).bit_length()
