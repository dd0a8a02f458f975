"""One operation of an engine in one mode: its law if it can be read, else evidence."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from specsim.oracle import cases, diagnosis, edges, reading, sampling
from specsim.oracle.engines.python import PythonEngine, Unreadable
from specsim.oracle.exact import Tokens
from specsim.oracle.reading import Read, Reader
from specsim.oracle.report import Report, Tier, Witness
from specsim.oracle.shrink import shrunk
from specsim.oracle.worlds import World

LAW_SECONDS = {"smoke": 0.5, "quick": 1.5, "full": 60.0, "nightly": 600.0}
"""Seconds to read laws in, by budget."""
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
    failing: dict[World, str] = field(default_factory=dict)

    def run(self) -> None:
        """The strongest way of asking that can follow the engine; then the edges."""
        if not any(self._read(how) for how in ("symbolic", "scripted")):
            self._sample()
        if not self.tree:
            self.report.findings += edges.probe(self.host, self.mode)

    def _worlds(self) -> list[World]:
        if not self.tree:
            return cases.chains(self.budget)
        return cases.trees(self.budget, tuple(self.host.hello()["kinds"]))

    def _tier(self, how: str, verdict: str, detail: str, start: float) -> None:
        name = f"{self.operation} by {self.mode}, {how}"
        seconds = round(time.monotonic() - start, 3)
        self.report.tiers.append(Tier(name, verdict, detail, seconds))

    def _read(self, how: str) -> bool:
        """Judge by the law; False where it cannot be read, or not be trusted."""
        start = time.monotonic()
        reader = Reader(self.host, self.operation, self.mode, how)
        try:
            reads, self.failing = reader.read_all(
                self._worlds(), LAW_SECONDS[self.budget]
            )
        except Unreadable as reason:
            self.report.notes.append(f"{how} reading: {reason}")
            return False
        failed, gap = reading.failures(reads, how), reading.worst(reads, how)
        for world, raised in list(self.failing.items())[:1]:
            self.report.notes.append(f"{how} reading: in {world} it fails: {raised}")
        if self.failing and not failed:
            return False
        if failed and how == "scripted" and self.mode == "rng":
            self.report.notes.append(
                f"scripted reading: wrong by {float(gap):.2g}, which it cannot prove"
            )
            return False
        detail = f"law in {len(reads)} worlds, worst gap {_figure(gap)}"
        exact = how == "symbolic" and not any(read.gaps for read in binary(reads))
        verdict = "rejected" if failed else "exact" if exact else "exact_within"
        self._tier(how, verdict, detail, start)
        if failed:
            self._explain(reads, failed, reader)
        else:
            self.report.excluded = diagnosis.excluded(reads, self.tree)
        return True

    @property
    def tree(self) -> bool:
        return self.operation == "verify_tree"

    def _explain(
        self, reads: Sequence[Read], failed: Sequence[Read], reader: Reader
    ) -> None:
        def failing(world: World) -> list[Read]:
            try:
                return reading.failures([reader.read(world)], reader.how)
            except Unreadable:
                return []

        self.report.diagnosis = diagnosis.diagnose(reads, failed, self.tree)
        world = shrunk(failed[0].world, lambda tried: bool(failing(tried)))
        gap, *others = failing(world)[0].gaps
        odds = _figure(gap.want), _figure(gap.got)
        self.report.witness = witness(
            world, gap.prefix, gap.token, *odds, wrong=1 + len(others)
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
        self._tier("drawn", verdict, f"{found.blocks} blocks, {evidence}", start)
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
            want = _figure(Fraction(cell.want))
            self.report.witness = witness(world, cell.prefix, cell.token, want, got)
        planted = {mutant.name: mutant for mutant in found.mutants}
        self.report.diagnosis = [
            diagnosis.described(planted[name], f"{share:.0%} of the evidence")
            for name, share in found.evidence.leading()
            if name in planted and share >= 0.05
        ]


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


def _figure(odds: Fraction) -> str:
    """A fraction where it is short enough to read, else a decimal."""
    return str(odds) if odds.denominator < 10**6 else f"{float(odds):.6g}"
