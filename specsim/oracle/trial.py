"""One operation of an engine in one mode: its law if it can be read, else evidence."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from specsim.oracle import cases, diagnosis, edges, reading, sampling
from specsim.oracle.engines.python import PythonEngine, Slow, Unreadable, Unsteady
from specsim.oracle.exact import Tokens, figure
from specsim.oracle.reading import Limits, Read, Reader
from specsim.oracle.report import Report, Tier, Witness
from specsim.oracle.shrink import shrunk
from specsim.oracle.worlds import World

LAW_SECONDS = {
    "smoke": (0.5, 3.0),
    "quick": (1.5, 9.0),
    "full": (60.0, 120.0),
    "nightly": (600.0, 1200.0),
}
"""Seconds to read laws in, all of them and the core at most, by budget."""
CHECKS = 20_000
"""The most fresh runs that a scripted reading is asked to foretell."""
LIKELY = 0.3
"""The share of the evidence from which on a known bug is named."""
PROOF = 1000.0
"""What log10 E is said to be when it is infinite: the engine did the impossible."""


@dataclass
class Trial:
    """What it finds goes into `report`."""

    host: PythonEngine
    operation: str
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report
    worlds: list[World] = field(default_factory=list)
    failing: dict[World, str] = field(default_factory=dict)
    hopeless: bool = False
    single: bool = False

    def run(self) -> None:
        """The strongest way of asking that can follow the engine; then the edges."""
        offer = self.host.hello()
        self.worlds = list(cases.extras(offer["accepts"]))
        if self.tree:
            self.worlds += cases.trees(self.budget, tuple(offer["kinds"]))
        else:
            self.worlds = [*cases.chains(self.budget), *self.worlds]
        if not self._read("symbolic") and (self.hopeless or not self._read("scripted")):
            self._sample()
        if not self.tree:
            also = [edges.SINGLE] if self.single else []
            also += [edges.NOT_DRAWN] if "q_zero" in offer["accepts"] else []
            self.report.findings += edges.probe(self.host, self.mode, also)

    def _tier(
        self, how: str, verdict: str, detail: str, start: float, worlds: int
    ) -> None:
        name = f"{self.operation} by {self.mode}, {how}"
        seconds = round(time.monotonic() - start, 3)
        self.report.tiers.append(Tier(name, verdict, detail, seconds, worlds))

    def _read(self, how: str) -> bool:
        """Judge by the law; False where it cannot be read, or not be trusted."""
        start = time.monotonic()
        reader = Reader(self.host, self.operation, self.mode, how)
        limits = Limits(cases.core(self.operation), *LAW_SECONDS[self.budget])
        try:
            reads, self.failing, enough = reader.read_all(self.worlds, limits)
        except Unreadable as reason:
            self.report.notes.append(f"{how} reading: {reason}")
            self.hopeless = isinstance(reason, (Slow, Unsteady))
            return False
        failed = reading.failures(reads, how)
        for world, raised in list(self.failing.items())[:1]:
            self.report.notes.append(f"{how} reading: in {world} it fails: {raised}")
        if self.failing and not failed:
            return False
        if failed and not self._proven(reader, failed):
            return False
        self._conclude(reader, reads, failed, enough, start)
        return True

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
        exact = reader.how == "symbolic" and not any(r.gaps for r in binary(reads))
        verdict = "exact" if exact else "exact_within"
        verdict = verdict if enough else "inconclusive"
        verdict = "rejected" if failed else verdict
        self._tier(reader.how, verdict, described(reads), start, len(reads))
        if failed:
            self._explain(reads, failed, reader)
            return
        self.report.excluded = diagnosis.excluded(reads, self.tree)
        if not enough:
            self.report.notes.append(
                f"time ended after {len(reads)} worlds: a larger --budget reads on"
            )

    def _proven(self, reader: Reader, failed: Sequence[Read]) -> bool:
        """Whether what was read is wrong beyond doubt: a scripted law is read again."""
        if reader.how == "symbolic" or self.mode == "coins":
            return True
        worst = min(failed, key=lambda r: reading.checks_to_prove(r, self.false_alarm))
        checks = reading.checks_to_prove(worst, self.false_alarm)
        try:
            if checks <= CHECKS and reader.read(worst.world, checks).law == worst.law:
                return True
        except Unreadable:
            pass
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
            except Unreadable:
                return []

        self.report.diagnosis = diagnosis.diagnose(reads, failed, self.tree)
        world = shrunk(failed[0].world, lambda tried: bool(failing(tried)))
        found = failing(world)
        with PythonEngine(self.host.spec, self.host.timeout) as fresh:
            if not found or not failing(world, replace(reader, engine=fresh)):
                found = [failed[0]]
                self.report.notes.append(
                    "it keeps something from call to call: asked afresh, the failing "
                    "case may come out right"
                )
        gap, *others = found[0].gaps
        odds = figure(gap.want), figure(gap.got)
        where = found[0].world
        self.report.witness = witness(
            where, gap.prefix, gap.token, *odds, wrong=1 + len(others)
        )

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
        )
        log10_e = min(found.evidence.log10_e, PROOF)
        self.report.log10_e = max(self.report.log10_e or 0.0, log10_e)
        hurdle = -math.log10(self.false_alarm)
        short = "inconclusive" if found.uncovered else "not_rejected"
        verdict = "rejected" if log10_e >= hurdle else short
        evidence = f"log10 E {log10_e:.1f} (rejects at {hurdle:.0f})"
        detail = f"{found.blocks} blocks, {evidence}"
        self._tier("drawn", verdict, detail, start, len(found.worlds))
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
            got = f"{cell.count} of {cell.trials} draws"
            want = figure(Fraction(cell.want))
            self.report.witness = witness(world, cell.prefix, cell.token, want, got)
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


def witness(
    world: World, prefix: Tokens, token: int, want: str, got: str, wrong: int = 1
) -> Witness:
    """One wrong context with the rows of target and drafter that lead to it."""
    p, q = {}, {}
    for n in range(len(prefix) + 1):
        key = " ".join(map(str, prefix[:n])) or "root"
        p[key] = [*map(str, world.target(prefix[:n]))]
        if n < len(world.branching):
            q[key] = [*map(str, world.drafter(prefix[:n]))]
    return Witness(str(world), p, q, prefix, token, want, got, wrong)
