"""The suite judges itself: every rule exact, every twin in step, every mutant dead.

A lossy rule has to be as far from the target as its row says, in the worst of the
worlds that are judged by default; no more, no less, and never exact.
"""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from itertools import repeat
from multiprocessing import get_context
from typing import Any

from specsim.errors import Bad
from specsim.oracle import certificate, exact, matrix, vectors
from specsim.oracle.certificate import Worst
from specsim.oracle.kills import Killed, kill
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.worlds import generated, worlds
from specsim.rules import RULES, Rule, named
from specsim.seam import randomness

IMPOSSIBLE = randomness.Refused, ArithmeticError, TypeError, ValueError, LookupError
"""What an exact run of a wrong rule may end in."""
SOME, MANY = 20, 500
"""Random worlds for each kind of draft, besides the others: by default, and in full."""


@dataclass(frozen=True)
class Judged:
    """One rule: how far its worst world is from the target; what its twin got wrong.

    twin:  None where torch is absent, or there is no twin, else the vectors on which
           it differs.
    lossy: of a lossy rule, the worlds in which it is worst.
    fault: where it asked the impossible, or did not give a golden vector's block.
    """

    rule: Rule
    worlds: int
    worst_tv: Fraction
    twin: list[str] | None
    lossy: Worst | None = None
    fault: str = ""

    @property
    def as_recorded(self) -> bool:
        """Lossless without bias, or lossy with the very bias that its row records."""
        bias = bool(self.worst_tv), str(self.worst_tv)
        return bias == (self.rule.lossy, self.rule.bias)

    @property
    def right(self) -> bool:
        return self.as_recorded and not self.twin and not self.fault


@dataclass(frozen=True)
class Suite:
    """kills: in full, every planted bug against every tier."""

    rules: list[Judged]
    mutants: list[Killed]
    seconds: float
    kills: list[matrix.Row] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """exact, lossy where no rule is more than that as recorded, or rejected."""
        right = all(judged.right for judged in self.rules)
        dead = all(killed.tier for killed in self.mutants)
        if not (right and dead and all(row.killed for row in self.kills)):
            return "rejected"
        return "exact" if self.lossless else "lossy"

    @property
    def lossless(self) -> int:
        return sum(not judged.rule.lossy for judged in self.rules)

    def as_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "rules": [
                {
                    "name": judged.rule.name,
                    "class": judged.rule.losslessness,
                    "worlds": judged.worlds,
                    "worst_tv": str(judged.worst_tv),
                    "twin": judged.twin,
                    "fault": judged.fault,
                    "lossy": judged.lossy and judged.lossy.as_dict(),
                }
                for judged in self.rules
            ],
            "mutants": [
                {
                    "name": dead.mutant.name,
                    "rule": dead.mutant.rule,
                    "killed": dead.tier is not None,
                    "tier": dead.tier,
                    "by": dead.by,
                }
                for dead in self.mutants
            ],
            "matrix": [{**asdict(row), "killed": row.killed} for row in self.kills],
            "seconds": round(self.seconds, 2),
        }

    def text(self) -> str:
        """The table a person reads, then one verdict line."""
        dead = sum(bool(killed.tier) for killed in self.mutants)
        worlds = sum(judged.worlds for judged in self.rules)
        return "\n".join(
            [
                "  rule                  class        worlds  worst TV  twin   killed",
                *map(self._line, self.rules),
                *self._lossy(),
                *self._faults(),
                "",
                *self._matrix(),
                f"{self.verdict.upper()}: {self.lossless} lossless and "
                f"{len(self.rules) - self.lossless} lossy rules in {worlds} worlds, "
                f"{dead} of {len(self.mutants)} mutants killed, {self.seconds:.1f} s",
            ]
        )

    def _matrix(self) -> list[str]:
        if not self.kills:
            return []
        dead = sum(row.killed for row in self.kills)
        told = f"  {dead} of {len(self.kills)} killed where they have to be"
        return [*matrix.text(self.kills), told, ""]

    def _line(self, judged: Judged) -> str:
        rule = judged.rule
        mine = [killed for killed in self.mutants if killed.mutant.rule == rule.name]
        dead = sum(bool(killed.tier) for killed in mine)
        twin = "-" if judged.twin is None else "WRONG" if judged.twin else "agrees"
        return (
            f"  {rule.name:21} {rule.losslessness:12} {judged.worlds:6}  "
            f"{exact.figure(judged.worst_tv):8}  {twin:6} "
            f"{dead:2} of {len(mine):2} mutants"
        )

    def _lossy(self) -> Iterator[str]:
        for judged in self.rules:
            if judged.lossy:
                yield f"  LOSSY {judged.rule.name}: {judged.lossy}"

    def _faults(self) -> Iterator[str]:
        for judged in self.rules:
            if judged.fault:
                yield f"  FAULT {judged.rule.name}: {judged.fault}"
            elif not judged.as_recorded:
                want = f"should be {judged.rule.bias}"
                yield f"  BIAS {judged.rule.name}: TV {judged.worst_tv}, {want}"
        for killed in self.mutants:
            if not killed.tier:
                name, line = killed.mutant.name, killed.mutant.line
                yield f"  ALIVE {name}: {line} ({killed.by})"
        for judged in self.rules:
            yield from (f"  TWIN {judged.rule.name}: {d}" for d in judged.twin or [])


def judge(rule: Rule, full: bool = False, device: str = "cpu") -> Judged:
    """Every world of the rule; rule and twin replay the rule's golden vectors.

    A lossy rule's bias is recorded for the default worlds, so there are no others.
    """
    try:
        return _judged(rule, full, device)
    except IMPOSSIBLE as fault:
        told = " ".join(f"{type(fault).__name__}: {fault}".split())
        return Judged(rule, 0, Fraction(1), None, fault=told)


def _judged(rule: Rule, full: bool, device: str) -> Judged:
    every = vectors.load(rule.name)
    wrong = [
        v.id for v in every if not vectors.legal(v, vectors.replay(v, rule.verify))
    ]
    fault = f"does not give the block of vector {wrong[0]}" if wrong else ""
    twin = None
    if rule.has_twin and find_spec("torch"):
        from specsim.oracle import twins

        twin = twins.disagreements(rule, device)
    if rule.lossy:
        certified = [certificate.certify(rule.verify, world) for world in worlds(rule)]
        worst = certificate.worst(certified)
        return Judged(rule, len(certified), worst.tv.tv, twin, worst, fault)
    asked = [*worlds(rule, full), *generated(rule, MANY if full else SOME)]
    bias = [exact.bias(rule.verify, world, rule.losslessness) for world in asked]
    return Judged(rule, len(bias), max(bias), twin, fault=fault)


def _require(device: str) -> None:
    if device == "cpu":
        return
    if not find_spec("torch"):
        raise Bad(f"device {device} needs torch: pip install 'specsim-llm[torch]'")
    import torch

    if device != "cuda" or not torch.cuda.is_available():
        raise Bad(f"device {device}: torch sees none here; leave it out for cpu")


def run(full: bool = False, only: str | None = None, device: str = "cpu") -> Suite:
    """All of it, or one rule and its mutants, on every core; `full` adds many worlds.

    device: of the twins, cpu or cuda. Bad: no rule of that name, no such device here.
    """
    _require(device)
    start = time.monotonic()
    rules = [*RULES.values()] if only is None else [named(only)]
    names = [name for name, m in MUTANTS.items() if RULES[m.rule] in rules]
    with ProcessPoolExecutor(
        mp_context=get_context("spawn"), initializer=_calm
    ) as pool:
        found = pool.map(judge, rules, repeat(full), repeat(device))
        deaths = pool.map(_death, names, chunksize=8)
        every = [row.name for row in matrix.rows()] if full and only is None else []
        rows = pool.map(matrix.judged, every, chunksize=4)
        judged = list(found)
        killed = [
            Killed(MUTANTS[name], *death)
            for name, death in zip(names, deaths, strict=True)
        ]
        told = list(rows)
    return Suite(judged, killed, time.monotonic() - start, told)


def _calm() -> None:
    """One thread a process, which leaves it to the first to say it was interrupted."""
    os.environ["OMP_NUM_THREADS"] = "1"  # read when torch is imported
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _death(name: str) -> tuple[str | None, str]:
    """What killed a mutant, without the mutant: that does not go through a pipe."""
    killed = kill(MUTANTS[name])
    return killed.tier, killed.by
