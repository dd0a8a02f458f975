"""One operation of an engine in one mode: its law if it can be read, else evidence."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from specsim.oracle import (
    cases,
    declared,
    diagnosis,
    edges,
    effect,
    outright,
    reading,
    sampling,
    witnesses,
)
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import (
    Broken,
    Skipped,
    Slow,
    Unreadable,
    Unsteady,
)
from specsim.oracle.independence.trial import Independence
from specsim.oracle.large import trial as large
from specsim.oracle.reading import Limits, Read, Reader
from specsim.oracle.report import PROOF, Report, Tier, plural
from specsim.oracle.shrink import shrunk
from specsim.oracle.sweeps import Sweep
from specsim.oracle.unknown import Unknown
from specsim.oracle.worlds import World
from specsim.rules import Rule

LAW_SECONDS = {
    "smoke": (0.5, 3.0),
    "quick": (1.5, 9.0),
    "full": (60.0, 120.0),
    "nightly": (600.0, 1200.0),
}
"""Seconds to read laws in, all of them and the core at most, by budget."""
LIKELY = 0.3
"""The share of the evidence from which on a known bug is named."""


@dataclass
class Trial:
    """What it finds goes into `report`.

    rule: the lossy one whose law the engine declares.
    """

    host: Host
    operation: str
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report
    rule: Rule | None = None
    worlds: list[World] = field(default_factory=list)
    failing: dict[World, str] = field(default_factory=dict)
    broken: Broken | None = None
    hopeless: bool = False
    single: bool = False

    def run(self) -> None:
        """The strongest way of asking that can follow the engine; then the edges."""
        offer = self.host.hello()
        worlds = cases.fitting(self.operation, self.budget, offer)
        self.worlds = declared.held(worlds, self.rule)
        try:
            if not self._read_somehow():
                self._draw()
        except Skipped as reason:
            self._tier("skipped", "unsupported", str(reason), time.monotonic(), 0)
        if not self.tree and not self.rule:
            also = [edges.SINGLE] if self.single else []
            also += [edges.NOT_DRAWN] if "q_zero" in offer["accepts"] else []
            self.report.findings += edges.probe(self.host, self.mode, also)
            self._ask_at_large()

    def _tier(
        self,
        how: str,
        verdict: str,
        detail: str,
        start: float,
        worlds: int,
        **evidence: Any,
    ) -> None:
        name = f"{self.operation}/{self.mode}/{how}"
        seconds = round(time.monotonic() - start, 3)
        tier = Tier(name, verdict, detail, seconds, worlds, **evidence)
        self.report.tiers.append(tier)

    def _draw(self) -> None:
        """Evidence, and what no law of one block shows: whether calls are independent.

        Of the engine afresh: it may have kept what was given to it to read its law.
        """
        read = self.host
        with read.afresh() as self.host:
            self._sample()
            if not self.tree and not self.rule:
                asked = self.host, self.mode, self.budget, self.seed, self.false_alarm
                Unknown(*asked, self.report).run()
                if self.mode != "coins":
                    Independence(*asked, self.report).run()
        self.host = read

    def _ask_at_large(self) -> None:
        """In large vocabularies, of the engine afresh and even if its law was read."""
        if self.budget in large.TV:
            with self.host.afresh() as host:
                asked = host, self.mode, self.budget, self.seed, self.false_alarm
                large.LargeVocabulary(*asked, self.report).run()

    def _read_somehow(self) -> bool:
        """Whether one of the host's ways of reading could follow the engine."""
        for how in self.host.readings[self.mode]:
            if not self.hopeless and self._read(how):
                return True
        return False

    def _read(self, how: str) -> bool:
        """Judge by the law; False where it cannot be read, or not be trusted."""
        start = time.monotonic()
        reader = Reader(self.host, self.operation, self.mode, how)
        limits = Limits(cases.core(self.operation), *LAW_SECONDS[self.budget])
        try:
            found = reader.read_all(self.worlds, limits)
        except Unreadable as reason:
            self.report.notes.append(f"{how} reading: {reason}")
            self.hopeless = isinstance(reason, (Slow, Unsteady))
            return False
        reads, self.failing, self.broken = found.done, found.failing, found.broken
        if self.failing and not (reads or self.broken):
            world = next(iter(self.failing))
            outright.play(self.host, self.operation, self.mode, world, self.seed)
        failed = reading.failures(reads, how)
        for world, raised in list(self.failing.items())[:1]:
            self.report.notes.append(f"{how} reading: in {world} it fails: {raised}")
        if not self.broken:
            if self.failing and not failed:
                return False
            if failed and not self._proven(reader, failed):
                return False
        if reads:
            self._conclude(reader, reads, failed, found.enough, start)
        self._skip(found.skipped, start, not (reads or self.failing))
        if self.broken:
            raise self.broken
        return True

    def _skip(self, skipped: Mapping[World, str], start: float, all: bool) -> None:
        """What the engine said that it does not do is unsupported, and no fault."""
        for reason in list(skipped.values())[:1]:
            worlds = "all " * all + plural(len(skipped), "world")
            detail = f"skips {worlds}: {reason}"
            self._tier("skipped", "unsupported", detail, start, len(skipped))

    def _conclude(
        self,
        reader: Reader,
        reads: Sequence[Read],
        failed: Sequence[Read],
        enough: bool,
        start: float,
    ) -> None:
        gaps = [gap for read in reads for gap in read.gaps]
        self.single = any(gap.size > 2.0**-40 for gap in gaps)
        same = reader.how == "symbolic" and not any(r.gaps for r in binary(reads))
        verdict = "exact" if same and not self.rule else "exact_within"
        verdict = verdict if enough else "inconclusive"
        verdict = "rejected" if failed else verdict
        detail = f"{reader.how} {described(reads)}"
        self._tier("law", verdict, detail, start, len(reads))
        if failed:
            self._explain(reads, failed, reader)
            return
        self.report.excluded = diagnosis.excluded(reads, self.tree)
        if reader.how == "symbolic" and enough and not (self.tree or self.rule):
            Sweep(reader, self.budget, self.report).run()
        if not enough and not self.broken:
            self.report.notes.append(
                f"time ended after {len(reads)} worlds: a larger --budget reads on"
            )

    def _proven(self, reader: Reader, failed: Sequence[Read]) -> bool:
        worst = min(failed, key=lambda r: reading.checks_to_prove(r, self.false_alarm))
        if reader.proves(worst, self.false_alarm):
            return True
        self.report.notes.append("scripted reading: it looks wrong, but is no proof")
        return False

    @property
    def tree(self) -> bool:
        return self.operation == "verify_tree"

    def _explain(
        self, reads: Sequence[Read], failed: Sequence[Read], reader: Reader
    ) -> None:
        def failing(world: World, asked: Reader = reader) -> list[Read]:
            try:
                return reading.failures([asked.read(world)], reader.how)
            except (Unreadable, Skipped):
                return []

        self.report.diagnosis = diagnosis.diagnose(reads, failed, self.tree)
        if self.broken:
            self.report.witness = witnesses.computed(failed[0])
            return
        world = shrunk(failed[0].world, lambda tried: bool(failing(tried)))
        found = failing(world)
        with self.host.afresh() as fresh:
            if not found or not failing(world, replace(reader, engine=fresh)):
                found = [failed[0]]
                self.report.notes.append(
                    "it keeps something from call to call: asked afresh, the failing "
                    "case may come out right"
                )
        self.report.witness = witnesses.computed(found[0])

    def _sample(self) -> None:
        start = time.monotonic()
        found = sampling.sample(
            self.host,
            self.operation,
            self.mode,
            self.budget,
            self.seed,
            self.false_alarm,
            list(self.failing)[:2],
            self.rule,
        )
        log10_e = min(found.evidence.log10_e, PROOF)
        self.report.log10_e = max(self.report.log10_e or 0.0, log10_e)
        hurdle = -math.log10(self.false_alarm)
        short = "inconclusive" if found.uncovered else "not_rejected"
        verdict = "rejected" if log10_e >= hurdle else short
        said = f"log10 E {log10_e:.1f} (rejects at {hurdle:.0f})"
        detail = f"{found.blocks} blocks, {said}"
        evidence = {"log10_e": log10_e, "path": found.thinned(PROOF)}
        if verdict == "rejected":
            evidence["effect"] = effect.measured(
                self.host, found, self.operation, self.mode, self.seed
            )
        self._tier("drawn", verdict, detail, start, len(found.worlds), **evidence)
        if verdict == "rejected":
            self._explain_drawn(found)
            return
        against = found.evidence.excluded()
        self.report.excluded = [m for m, e in against.items() if e >= hurdle]
        for what, names in (
            ("too few blocks to exclude", found.uncovered),
            ("drawing within this budget cannot find", found.beyond),
        ):
            if names:
                self.report.notes.append(f"{what}: {', '.join(names)}")

    def _explain_drawn(self, found: sampling.Sampled) -> None:
        cell = found.evidence.worst()
        if cell:
            world = found.worlds[cell.case]
            counts = found.evidence.row(cell.case, cell.prefix)
            self.report.witness = witnesses.counted(world, cell, counts)
        planted = {mutant.name: mutant for mutant in found.mutants}
        self.report.diagnosis = [
            diagnosis.described(planted[name], f"{share:.0%} of the evidence")
            for name, share in found.evidence.leading()
            if name in planted and share >= LIKELY
        ]


def described(reads: Sequence[Read]) -> str:
    """Where the law was read and how far it is off."""
    if not reads:
        return "law in no world"
    words = sorted({read.world.vocab for read in reads})
    drafts = sorted({len(read.world.branching) for read in reads})
    where = f"law in {len(reads)} worlds, V {words[0]}-{words[-1]}"
    where += f", K {drafts[0]}-{drafts[-1]}"
    off, rounded = (
        max(
            (float(abs(gap.got - gap.want)) for read in some for gap in read.gaps),
            default=0,
        )
        for some in (binary(reads), reads)
    )
    beyond = f" ({rounded:.2g} where floats round)" if rounded > off else ""
    return f"{where}: odds off by {off:.2g}{beyond}"


def binary(reads: Sequence[Read]) -> list[Read]:
    """Those of worlds in which floats can be exact."""
    return [read for read in reads if cases.is_binary(read.world)]
