"""The law of code that takes uniforms, read from outside by bisection.

For what undrawn uniforms cannot follow: code that casts them, converts them, hands them
to a compiled library. It is played with written uniforms only. Nearly every verifier is
a step function of each uniform given those before it, so its law is a tree: the cuts in
the first uniform, and for each piece between two cuts, with that uniform in the middle
of the piece, the same for the next uniform.

Limits. Cuts are found where a signature changes: the outcomes under a few fixed choices
of the later uniforms. A piece is missed when it lies between two of `GRID` points whose
signatures agree, or when no signature tells it from its neighbours. Hence the tree has
to foretell `checks` fresh runs: whatever it got wrong with a weight of w goes unnoticed
with odds (1 - w)^checks. Code that is no step function, such as a race of exponentials,
fails there. The outermost `EDGE` of [0, 1) at either end is taken to be like the point
next to it, because uniforms nearer to 1 become 1 in float32.
"""

import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from specsim.oracle.readings.cells import Unfollowable
from specsim.oracle.readings.standin import Array, StandIn
from specsim.oracle.readings.symbolic import NotAFunction, TooManyPaths

H = TypeVar("H", bound=Hashable)
Script = Callable[[int], float]
"""The uniforms of a run, by index; there are as many as it likes."""

GRID = 16
CHECKS = 128
EDGE = 2.0**-24
POINTS: list[float] = np.linspace(EDGE, 1 - EDGE, GRID + 1).tolist()
MOST = 10_000
"""The most uniforms one run may take."""


class Read(NamedTuple, Generic[H]):
    """A law and how far from it, in total variation, the true one may be."""

    law: dict[H, Fraction]
    error_bound: float


class Played(NamedTuple, Generic[H]):
    """What came of a script, and how many uniforms were taken."""

    outcome: H
    taken: int


Play = Callable[[Script], Played[H]]


class Tree(NamedTuple, Generic[H]):
    """The outcome, where there are no parts; else the parts of the next uniform."""

    outcome: H
    cuts: list[float]
    parts: "list[Tree[H]]"


def law(
    run: Callable[[np.random.Generator], H],
    *,
    bits: int = 26,
    budget: int = 50_000,
    expired: Callable[[], bool] = lambda: False,
    checks: int = CHECKS,
) -> Read[H]:
    """The law of `run(rng)`, each cut to 2^-bits, in at most `budget` runs.

    checks: how many fresh runs, besides, the law has to foretell.

    Errors: TooManyPaths past the budget or once `expired()`; NotAFunction where equal
    uniforms give unequal outcomes, or steps do not describe them; Unfollowable where
    `run` asks for what a stand-in Generator does not make of uniforms.
    """

    def play(script: Script) -> Played[H]:
        taking = _Taking(script)
        outcome = run(StandIn(taking))
        if taking.refusal:
            raise Unfollowable(taking.refusal)
        return Played(outcome, taking.taken)

    return _Reader(play, bits, budget, expired, checks).read()


def law_of_coins(
    run: Callable[[Array, Array], H],
    k: int,
    *,
    bits: int = 26,
    budget: int = 50_000,
    expired: Callable[[], bool] = lambda: False,
    checks: int = CHECKS,
) -> Read[H]:
    """The law of `run(accept, sample)`, float64 arrays (K,) and (K+1,): see `law`."""

    def play(script: Script) -> Played[H]:
        coins = np.array([script(i) for i in range(2 * k + 1)])
        return Played(run(coins[:k], coins[k:]), len(coins))

    return _Reader(play, bits, budget, expired, checks).read()


class _Taking:
    """Hands out a script's uniforms in order."""

    def __init__(self, script: Script):
        self._script, self.taken, self.refusal = script, 0, ""

    def uniform(self) -> float:
        if self.taken == MOST:
            raise TooManyPaths(f"one run took over {MOST} uniforms")
        self.taken += 1
        return self._script(self.taken - 1)

    def refuse(self, reason: str) -> NoReturn:
        self.refusal = reason
        raise Unfollowable(reason)


def _seeded(seed: int) -> Script:
    rng, drawn = random.Random(seed), list[float]()

    def script(i: int) -> float:
        while len(drawn) <= i:
            drawn.append(rng.random())
        return drawn[i]

    return script


LOW: Script = lambda i: EDGE  # noqa: E731
HIGH: Script = lambda i: 1 - EDGE  # noqa: E731
PROBES = LOW, HIGH, _seeded(-1), _seeded(-2)


def _after(prefix: tuple[float, ...], rest: Script) -> Script:
    return lambda i: prefix[i] if i < len(prefix) else rest(i)


class _Reader(Generic[H]):
    def __init__(
        self,
        play: Play[H],
        bits: int,
        budget: int,
        expired: Callable[[], bool],
        checks: int,
    ):
        self._play, self._left, self._expired = play, budget + checks, expired
        self._width, self._checks = 2.0**-bits, checks

    def read(self) -> Read[H]:
        for script in map(_seeded, range(GRID)):
            if self._run(script) != self._run(script):
                raise NotAFunction("the same uniforms gave two outcomes")
        tree = self._tree(())
        for script in map(_seeded, range(GRID, GRID + self._checks)):
            self._check(tree, script)
        return self._weigh(tree)

    def _run(self, script: Script) -> Played[H]:
        if not self._left or self._expired():
            raise TooManyPaths(f"stopped with {self._left} runs left")
        self._left -= 1
        return self._play(script)

    def _tree(self, prefix: tuple[float, ...]) -> Tree[H]:
        any_run = self._run(_after(prefix, PROBES[-1]))
        if self._settled(prefix, any_run):
            return Tree(any_run.outcome, [], [])
        cuts = list(self._cuts(prefix))
        middles = [(a + b) / 2 for a, b in pairwise([0, *cuts, 1])]
        return Tree(any_run.outcome, cuts, [self._tree((*prefix, x)) for x in middles])

    def _settled(self, prefix: tuple[float, ...], run: Played[H]) -> bool:
        """Do the uniforms after the prefix no longer matter?"""
        later = range(len(prefix), run.taken)
        base = _after(prefix, PROBES[-1])
        scripts = [_after(prefix, rest) for rest in PROBES[:-1]] + [
            _with(base, i, x) for i in later for x in POINTS
        ]
        return not later or all(self._run(script) == run for script in scripts)

    def _cuts(self, prefix: tuple[float, ...]) -> Iterator[float]:
        """The break points of the uniform that follows the prefix, in order."""
        seen = [(x, self._signature((*prefix, x))) for x in POINTS]
        for (lo, at_lo), (hi, at_hi) in pairwise(seen):
            yield from self._between(prefix, lo, hi, at_lo, at_hi)

    def _between(
        self,
        prefix: tuple[float, ...],
        lo: float,
        hi: float,
        at_lo: list[Played[H]],
        at_hi: list[Played[H]],
    ) -> Iterator[float]:
        middle = (lo + hi) / 2
        if at_lo == at_hi:
            return
        if hi - lo <= self._width:
            yield middle
            return
        at_middle = self._signature((*prefix, middle))
        yield from self._between(prefix, lo, middle, at_lo, at_middle)
        yield from self._between(prefix, middle, hi, at_middle, at_hi)

    def _signature(self, prefix: tuple[float, ...]) -> list[Played[H]]:
        first = self._run(_after(prefix, PROBES[0]))
        if first.taken <= len(prefix):
            return [first]
        return [first, *(self._run(_after(prefix, rest)) for rest in PROBES[1:])]

    def _check(self, tree: Tree[H], script: Script) -> None:
        outcome, depth = self._run(script).outcome, 0
        while tree.parts:
            x = script(depth)
            if any(abs(x - cut) <= self._width for cut in tree.cuts):
                return
            tree, depth = tree.parts[bisect(tree.cuts, x)], depth + 1
        if outcome != tree.outcome:
            raise NotAFunction("not a step function of one uniform after the other")

    def _weigh(self, tree: Tree[H]) -> Read[H]:
        if not tree.parts:
            return Read({tree.outcome: Fraction(1)}, 0.0)
        odds: dict[H, Fraction] = defaultdict(Fraction)
        bound = 2 * EDGE + len(tree.cuts) * self._width
        for (a, b), part in zip(pairwise([0, *tree.cuts, 1]), tree.parts, strict=True):
            share = Fraction(b) - Fraction(a)
            below = self._weigh(part)
            bound += float(share) * below.error_bound
            for outcome, weight in below.law.items():
                odds[outcome] += share * weight
        return Read(dict(odds), bound)


def _with(script: Script, at: int, value: float) -> Script:
    return lambda i: value if i == at else script(i)
