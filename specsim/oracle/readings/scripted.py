"""The law of code that takes uniforms, read from outside by bisection.

For what undrawn uniforms cannot follow: code that casts them, converts them, hands them
to a compiled library. It is played with written uniforms only. Nearly every verifier is
a step function of each uniform given those before it, so its law is a tree: the cuts in
the first uniform, and for each piece between two cuts, with that uniform in the middle
of the piece, the same for the next uniform.

The reading never plays anything itself: it yields the scripts it wants played next, as
many at once as it can name, so that an engine behind a pipe is asked in few rounds.

Limits. Cuts are found where a signature changes: the outcomes under a few fixed choices
of the later uniforms. A piece is missed when it lies between two of `GRID` points whose
signatures agree, or when no signature tells it from its neighbours. Hence the tree has
to foretell `checks` fresh runs: whatever it got wrong with a weight of w goes unnoticed
with odds (1 - w)^checks. Code that is no step function, such as a race of exponentials,
fails there. The outermost `EDGE` of [0, 1) at either end is taken to be like the point
next to it, because uniforms nearer to 1 become 1 in float32.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from specsim.oracle.readings.asking import Asking, answered, together
from specsim.oracle.readings.cells import Unfollowable
from specsim.oracle.readings.pieces import Read, Tree
from specsim.oracle.readings.scripts import (
    GRID,
    POINTS,
    PROBES,
    Script,
    after,
    seeded,
    with_one,
)
from specsim.oracle.readings.standin import Array, StandIn
from specsim.oracle.readings.symbolic import NotAFunction, TooManyPaths

H = TypeVar("H", bound=Hashable)
R = TypeVar("R")
CHECKS = 128
MOST = 10_000
"""The most uniforms one run may take."""


class Played(NamedTuple, Generic[H]):
    """What came of a script, and how many uniforms were taken."""

    outcome: H
    taken: int


Play = Callable[[Script], Played[H]]
Asks = Asking[Script, Played[H], R]


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

    asking: Asks[H, Read[H]] = reading(bits, checks)
    return answered(asking, _one_by_one(play, budget + checks, expired))


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

    asking: Asks[H, Read[H]] = reading(bits, checks)
    return answered(asking, _one_by_one(play, budget + checks, expired))


def reading(bits: int = 26, checks: int = CHECKS) -> Asks[H, Read[H]]:
    """The reading itself, as `law` does it: yields scripts, is sent what came of them.

    Errors: NotAFunction.
    """
    return _Reader[H](bits, checks).read()


def _one_by_one(
    play: Play[H], budget: int, expired: Callable[[], bool]
) -> Callable[[list[Script]], list[Played[H]]]:
    """Plays scripts in turn, as far as the budget and the time allow."""
    left = budget

    def one(script: Script) -> Played[H]:
        nonlocal left
        if not left or expired():
            raise TooManyPaths(f"stopped with {left} runs left")
        left -= 1
        return play(script)

    return lambda scripts: [*map(one, scripts)]


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


class _Point(NamedTuple, Generic[H]):
    """A value of one uniform, and the outcomes under the probes for those after it."""

    x: float
    signature: list[Played[H]]


Span = tuple[_Point[H], _Point[H]]


class _Reader(Generic[H]):
    def __init__(self, bits: int, checks: int):
        self._width, self._checks = 2.0**-bits, checks

    def read(self) -> Asks[H, Read[H]]:
        scripts = [*map(seeded, range(GRID))]
        if (yield scripts) != (yield scripts):
            raise NotAFunction("the same uniforms gave two outcomes")
        tree = yield from self._tree(())
        fresh = [*map(seeded, range(GRID, GRID + self._checks))]
        for script, played in zip(fresh, (yield fresh), strict=True):
            if not tree.foretells(script, played.outcome, self._width):
                raise NotAFunction("not a step function of one uniform after the other")
        return tree.law(self._width)

    def _tree(self, prefix: tuple[float, ...]) -> Asks[H, Tree[H]]:
        (run,) = yield [after(prefix, PROBES[-1])]
        if (yield from self._settled(prefix, run)):
            return Tree(run.outcome, [], [])
        cuts = yield from self._cuts(prefix, run.taken)
        middles = [(a + b) / 2 for a, b in pairwise([0, *cuts, 1])]
        parts = yield from together([self._tree((*prefix, x)) for x in middles])
        return Tree(run.outcome, cuts, parts)

    def _settled(self, prefix: tuple[float, ...], run: Played[H]) -> Asks[H, bool]:
        """Do the uniforms after the prefix no longer matter?"""
        later = range(len(prefix), run.taken)
        base = after(prefix, PROBES[-1])
        for scripts in (
            [after(prefix, rest) for rest in PROBES[:-1]],
            [with_one(base, i, x) for i in later for x in POINTS],
        ):
            if later and any(other != run for other in (yield scripts)):
                return False
        return True

    def _cuts(self, prefix: tuple[float, ...], taken: int) -> Asks[H, list[float]]:
        """The break points of the uniform that follows the prefix, in order."""
        points = yield from self._points(prefix, POINTS, taken)
        spans = _changing(pairwise(points))
        while spans and spans[0][1].x - spans[0][0].x > self._width:
            middles = yield from self._points(prefix, [*map(_middle, spans)], taken)
            halves = zip(spans, middles, strict=True)
            spans = _changing(s for (a, b), m in halves for s in ((a, m), (m, b)))
        return [*map(_middle, spans)]

    def _points(
        self, prefix: tuple[float, ...], values: Sequence[float], taken: int
    ) -> Asks[H, list[_Point[H]]]:
        """`taken` is how many uniforms a run is likely to take: where it takes no
        more than these there is nothing left to probe.
        """
        starts = [(*prefix, x) for x in values]
        likely = PROBES if taken > len(prefix) + 1 else PROBES[:1]
        played = yield [after(start, rest) for start in starts for rest in likely]
        n = len(likely)
        seen = [played[i : i + n] for i in range(0, len(played), n)]
        ended = [runs[0].taken <= len(prefix) + 1 for runs in seen]
        seen = [
            runs[:1] if end else runs for runs, end in zip(seen, ended, strict=True)
        ]
        short = [i for i, end in enumerate(ended) if not end and n == 1]
        if short:
            more = yield [after(starts[i], rest) for i in short for rest in PROBES[1:]]
            each = len(PROBES) - 1
            for at, i in enumerate(short):
                seen[i] = [*seen[i], *more[at * each : (at + 1) * each]]
        return [_Point(x, runs) for x, runs in zip(values, seen, strict=True)]


def _middle(span: Span[H]) -> float:
    return (span[0].x + span[1].x) / 2


def _changing(spans: Iterable[Span[H]]) -> list[Span[H]]:
    """Those at whose ends the outcomes differ."""
    return [(a, b) for a, b in spans if a.signature != b.signature]
