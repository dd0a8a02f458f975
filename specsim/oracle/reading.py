"""The law of a foreign engine, world by world, computed and not sampled."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from specsim.oracle import cases, exact
from specsim.oracle.engines.python import Failed, PythonEngine, Unreadable
from specsim.oracle.exact import Gap, Law
from specsim.oracle.worlds import World

ROUNDING = Fraction(1, 2**16)
"""Gaps up to this size are rounding: what 32-bit floats do, and bisection."""
FEWEST = 8
"""Worlds without which a law says too little: all named ones and some of length 2."""
HOPELESS = 3
"""Worlds failed in a row, before any was read, after which no other is tried."""


@dataclass(frozen=True)
class Read:
    """The law an engine has in one world, and where it departs from the target."""

    world: World
    law: Law
    gaps: list[Gap]


@dataclass(frozen=True)
class Reader:
    """How one operation of an engine is asked.

    operation: "verify" or "verify_tree".
    mode:      "rng" (a Generator is passed) or "coins" (named uniforms are).
    how:       "symbolic" (uniforms that fork) or "scripted" (bisection).
    """

    engine: PythonEngine
    operation: str
    mode: str
    how: str

    def read(self, world: World) -> Read:
        """The law of the block in this world, over the drafts and the engine's luck."""
        calls, odds = cases.calls(world, self.operation)
        laws = self.engine.laws(calls, self.mode, self.how)
        mixed: Law = defaultdict(Fraction)
        for share, law in zip(odds, laws, strict=True):
            for block, weight in law.items():
                mixed[block] += share * weight
        return Read(world, dict(mixed), exact.gaps(mixed, world.truth))

    def read_all(
        self, worlds: Sequence[World], seconds: float
    ) -> tuple[list[Read], dict[World, str]]:
        """As many of the worlds as the time allows, and `FEWEST` whatever it takes.

        Also the worlds in which the engine fails, and how. Unreadable if this way of
        reading cannot follow the engine, or if the engine answers the same coins
        differently when asked again.
        """
        deadline = time.monotonic() + seconds
        done: list[Read] = []
        failed: dict[World, str] = {}
        for world in worlds:
            try:
                done.append(self.read(world))
            except Failed as how:
                failed[world] = str(how)
            late = len(done) >= FEWEST and time.monotonic() > deadline
            if late or (not done and len(failed) == HOPELESS):
                break
        if done and self.read(done[0].world).law != done[0].law:
            raise Unreadable("it answers the same coins differently when asked again")
        return done, failed


def size(gap: Gap, how: str) -> Fraction:
    """How wrong a gap is; bisection sees absolute odds only, not relative ones."""
    return gap.size if how == "symbolic" else abs(gap.got - gap.want)


def worst(reads: Sequence[Read], how: str) -> Fraction:
    """The largest gap there is."""
    sizes = (size(gap, how) for read in reads for gap in read.gaps)
    return max(sizes, default=Fraction())


def failures(reads: Sequence[Read], how: str) -> list[Read]:
    """The worlds that went wrong by more than rounding, with those gaps only.

    The smallest comes first.
    """
    failed = []
    for read in reads:
        gaps = [gap for gap in read.gaps if size(gap, how) > ROUNDING]
        if gaps:
            failed.append(replace(read, gaps=gaps))
    return sorted(failed, key=lambda read: (read.world.branching, read.world.vocab))
