"""The law of a foreign engine, world by world, computed and not sampled."""

import math
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from specsim.oracle import cases, exact
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import (
    Broken,
    Failed,
    Skipped,
    Slow,
    Unreadable,
    Unsteady,
)
from specsim.oracle.exact import Gap, Law
from specsim.oracle.worlds import World

ROUNDING = Fraction(1, 2**16)
"""Gaps up to this size are rounding: what 32-bit floats do, and bisection."""
CHECKS = 20_000
"""The most fresh runs that a scripted reading is asked to foretell."""
HOPELESS = 3
"""Worlds failed in a row, before any was read, after which no other is tried."""


@dataclass(frozen=True)
class Read:
    """The law an engine has in one world, and where it departs from the target.

    how: the way it was read, as in `Reader`.
    """

    world: World
    law: Law
    gaps: list[Gap]
    how: str = "symbolic"


class Limits(NamedTuple):
    """Seconds after which no more than the `core` is read, and not even that."""

    core: int
    enough: float
    most: float


class Reads(NamedTuple):
    """What was read; where the engine fails or skips, and how; what ended it before
    its time; and whether the core was read.
    """

    done: list[Read]
    failing: dict[World, str]
    skipped: dict[World, str]
    broken: Broken | None
    enough: bool


@dataclass(frozen=True)
class Reader:
    """How one operation of an engine is asked.

    operation: "verify" or "verify_tree".
    mode:      "rng" (a Generator is passed) or "coins" (named uniforms are).
    how:       "symbolic" (uniforms that fork) or "scripted" (bisection).
    """

    engine: Host
    operation: str
    mode: str
    how: str

    def read(self, world: World, checks: int = 128) -> Read:
        """The law of the block in this world, over the drafts and the engine's luck.

        checks: fresh runs that a scripted reading has to foretell, for each draft.
        """
        calls, odds = cases.calls(world, self.operation)
        laws = self.engine.laws(calls, self.mode, self.how, checks)
        mixed: Law = defaultdict(Fraction)
        for share, law in zip(odds, laws, strict=True):
            for block, weight in law.items():
                mixed[block] += share * weight
        gaps = exact.gaps(mixed, world.truth)
        return Read(world, dict(mixed), gaps, self.how)

    def proves(self, read: Read, false_alarm: float) -> bool:
        """Whether a law that looks wrong is so beyond doubt: a scripted one whose coins
        are not written down is read again.
        """
        if self.how == "symbolic" or self.mode == "coins":
            return True
        checks = checks_to_prove(read, false_alarm)
        try:
            return checks <= CHECKS and self.read(read.world, checks).law == read.law
        except Unreadable:
            return False

    def read_all(self, worlds: Sequence[World], limits: Limits) -> Reads:
        """As many of the worlds as the time allows.

        Unreadable if this way of reading cannot follow the engine, or not in time;
        Unsteady if the engine answers the same coins differently when asked again.
        """
        start = time.monotonic()
        done: list[Read] = []
        failing: dict[World, str] = {}
        skipped: dict[World, str] = {}
        for asked, world in enumerate(worlds):
            spent = time.monotonic() - start
            if spent > (limits.most if asked < limits.core else limits.enough):
                break
            try:
                done.append(self.read(world))
            except Failed as how:
                failing[world] = str(how)
            except Skipped as reason:
                skipped[world] = str(reason)
            except Broken as broken:
                return Reads(done, failing, skipped, broken, False)
            except Slow:
                if not done:
                    raise
                break
            if not done and len(failing) == HOPELESS:
                break
        if done and self.read(done[0].world).law != done[0].law:
            raise Unsteady("it answers the same coins differently when asked again")
        tried = len(done) + len(failing) + len(skipped)
        return Reads(done, failing, skipped, None, tried >= limits.core)


def size(gap: Gap, how: str) -> Fraction:
    """How wrong a gap is; bisection sees absolute odds only, not relative ones."""
    return gap.size if how == "symbolic" else abs(gap.got - gap.want)


def checks_to_prove(read: Read, false_alarm: float) -> int:
    """Fresh runs, foretold for each draft, that leave no other cause for the gaps.

    What bisection missed would have to weigh as much as the law is wrong by, and so
    much goes unnoticed by n runs with odds (1 - weight)^n.
    """
    depth = len(read.world.branching) + 1
    truth = exact.completed({(): Fraction(1)}, read.world.truth, depth)
    done = exact.completed(read.law, read.world.truth, depth)
    wrong = float(exact.distance(done, truth))
    drafts = read.world.vocab ** len(read.world.branching)
    return math.ceil(math.log(drafts / false_alarm) / max(wrong, 1e-9))


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
