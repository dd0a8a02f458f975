"""An engine's cases one at a time, each with a verdict of its own.

A case is one operation in one mode in one world. Laws are read as in a trial; where
none can be, so many blocks are drawn in that world alone, and the odds of a false alarm
are shared by all the cases (a union bound over e-values).
"""

import math
import time
from dataclasses import dataclass, field
from fractions import Fraction

from specsim.oracle import (
    cases,
    coins,
    declared,
    diagnosis,
    reading,
    sampling,
    witnesses,
)
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import (
    Broken,
    Failed,
    Skipped,
    Slow,
    Unreadable,
    Unsteady,
)
from specsim.oracle.evidence import Evidence
from specsim.oracle.exact import figure
from specsim.oracle.reading import Read, Reader
from specsim.oracle.report import PROOF, Diagnosis, Tier, Witness
from specsim.oracle.worlds import World
from specsim.rules import Rule

SHARE = 10
"""A case is drawn from for the tenth part of a whole budget at most."""


@dataclass(frozen=True)
class Case:
    """world: None where the golden vectors of a rule are replayed."""

    operation: str
    mode: str
    world: World | None

    @property
    def id(self) -> str:
        """Stable: it names what is asked and nothing of the engine."""
        return f"{self.operation}/{self.mode}::{self.world or 'vectors'}"


@dataclass(frozen=True)
class Outcome:
    """What one case said. `aside` is for reading only: it decides nothing."""

    tier: Tier
    witness: Witness | None = None
    diagnosis: list[Diagnosis] = field(default_factory=list)
    read: Read | None = None
    aside: str = ""


@dataclass
class Bench:
    """An engine and its cases. Once it broke, no other case is asked."""

    host: Host
    budget: str
    false_alarm: float
    rule: Rule | None = None
    broken: str = ""
    readings: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def cases(self) -> list[Case]:
        """All there are, in the order in which a trial asks them."""
        offer, found = self.host.hello(), list[Case]()
        lossy = self.rule if self.rule and self.rule.lossy else None
        for operation, modes in offer["operations"].items():
            worlds = cases.fitting(operation, self.budget, offer)
            held = declared.held(worlds, lossy)
            found += [Case(operation, mode, world) for mode in modes for world in held]
        if self.rule:
            coins.comparable(offer, self.rule)
            found.append(Case(coins.operation(self.rule), "coins", None))
        self.count = len(found)
        return found

    def judge(self, case: Case) -> Outcome:
        """The verdict on one case; `errored` where the engine broke, and after that
        `inconclusive`.
        """
        start = time.monotonic()
        if self.broken:
            return self._told(case, "inconclusive", self.broken, start)
        try:
            if case.world is None:
                assert self.rule
                return Outcome(coins.compare(self.host, self.rule))
            return self._read(case, case.world, start) or self._drawn(
                case, case.world, start
            )
        except Skipped as reason:
            return self._told(case, "unsupported", str(reason), start)
        except Broken as broken:
            self.broken = f"not asked: the engine broke at {case.id}"
            return self._told(case, "errored", str(broken), start)

    def _told(self, case: Case, verdict: str, detail: str, start: float) -> Outcome:
        spent = round(time.monotonic() - start, 3)
        return Outcome(Tier(case.id, verdict, detail, spent, 1))

    def _read(self, case: Case, world: World, start: float) -> Outcome | None:
        """By the law, if one way of reading can follow the engine here."""
        key = case.operation, case.mode
        ways = self.readings.setdefault(key, [*self.host.readings[case.mode]])
        for how in [*ways]:
            reader = Reader(self.host, case.operation, case.mode, how)
            try:
                return self._concluded(case, reader, reader.read(world), start)
            except Failed:
                continue
            except (Slow, Unsteady):
                ways.clear()
                break
            except Unreadable:
                ways.remove(how)
        return None

    def _concluded(
        self, case: Case, reader: Reader, read: Read, start: float
    ) -> Outcome | None:
        failed = reading.failures([read], reader.how)
        if failed and not reader.proves(failed[0], self.false_alarm):
            return None
        off = max((abs(gap.got - gap.want) for gap in read.gaps), default=Fraction())
        detail = f"{reader.how} law: odds off by {figure(off)}"
        same = reader.how == "symbolic" and not (off and cases.is_binary(read.world))
        lossy = bool(self.rule and self.rule.lossy)
        verdict = "exact" if same and not lossy else "exact_within"
        verdict = "rejected" if failed else verdict
        spent = round(time.monotonic() - start, 3)
        tier = Tier(case.id, verdict, detail, spent, 1)
        if not failed:
            return Outcome(tier, read=read)
        known = diagnosis.diagnose([read], failed, case.operation == "verify_tree")
        return Outcome(tier, witnesses.computed(failed[0]), known, failed[0])

    def _drawn(self, case: Case, world: World, start: float) -> Outcome:
        """By evidence from this world alone."""
        tree = case.operation == "verify_tree"
        planted = {m.name: m for m in diagnosis.candidates(world, tree)}
        laws = {name: [diagnosis.law(m, world)] for name, m in planted.items()}
        evidence = Evidence([world.truth], laws)
        hurdle = math.log10(self.count / self.false_alarm)
        path = self._gather(case, world, evidence, hurdle)
        log10_e = min(evidence.log10_e, PROOF)
        verdict = "rejected" if log10_e >= hurdle else "not_rejected"
        detail = f"{evidence.blocks} blocks, log10 E {log10_e:.1f}"
        detail += f" (rejects at {hurdle:.1f})"
        spent = round(time.monotonic() - start, 3)
        tier = Tier(case.id, verdict, detail, spent, 1, log10_e, path)
        counts = evidence.row(0, ())
        aside = chi_square(counts, [float(x) for x in world.truth(())])
        cell = evidence.worst()
        if verdict != "rejected" or cell is None:
            return Outcome(tier, aside=aside)
        known = [
            diagnosis.described(planted[name], f"{share:.0%} of the evidence")
            for name, share in evidence.leading(1)
            if name in planted
        ]
        counts = evidence.row(0, cell.prefix)
        return Outcome(tier, witnesses.counted(world, cell, counts), known, aside=aside)

    def _gather(
        self, case: Case, world: World, evidence: Evidence, hurdle: float
    ) -> tuple[tuple[int, float], ...]:
        deadline = time.monotonic() + sampling.SECONDS[self.budget] / SHARE
        seed = sampling.derived(0, case.id)
        asked = self.host, [world], case.operation, case.mode, seed
        path = []
        for _, blocks in sampling.rounds(*asked):
            evidence.observe(0, blocks)
            path.append((evidence.blocks, round(min(evidence.valued(), PROOF), 3)))
            done = evidence.blocks >= sampling.BLOCKS[self.budget] / SHARE
            late = time.monotonic() > deadline
            if done or late or evidence.log10_e >= hurdle:
                break
        return tuple(path)


def chi_square(counts: list[int], row: list[float]) -> str:
    """Pearson's statistic of first tokens: for reading, not for judging.

    Tokens expected fewer than five times are put together.

    >>> chi_square([26, 24, 50], [0.25, 0.25, 0.5])
    'chi-square of first tokens, for reading only: 0.08 on 2 degrees, p 0.96'
    """
    from scipy.special import chdtrc

    total = sum(counts)
    pairs = [(n, total * p) for n, p in zip(counts, row, strict=True)]
    few = [pair for pair in pairs if pair[1] < 5]
    pairs = [pair for pair in pairs if pair[1] >= 5]
    rest = (sum(n for n, _ in few), sum(m for _, m in few))
    pairs += [rest] if rest[1] else []
    if len(pairs) < 2:
        return ""
    value = sum((n - m) ** 2 / m for n, m in pairs)
    odds, degrees = float(chdtrc(len(pairs) - 1, value)), len(pairs) - 1
    return (
        "chi-square of first tokens, for reading only: "
        f"{value:.2g} on {degrees} degrees, p {odds:.2g}"
    )
