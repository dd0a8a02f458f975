"""The suite judges itself: every rule exact, every twin in step, every mutant dead."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from specsim.oracle import diagnosis, exact, vectors
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import CoinFault, Mutant, Wiring
from specsim.oracle.worlds import worlds
from specsim.rules import RULES, Rule
from specsim.seam import randomness


@dataclass(frozen=True)
class Judged:
    """One rule: how far its worst world is from the target; what its twin got wrong.

    twin: None where torch is absent, else the vectors on which the twin differs.
    """

    rule: Rule
    worlds: int
    worst_tv: Fraction
    twin: list[str] | None

    @property
    def right(self) -> bool:
        return not self.worst_tv and not self.twin


@dataclass(frozen=True)
class Killed:
    """One mutant and what killed it: its law, its refusal, an edge; None: alive."""

    mutant: Mutant | CoinFault | Wiring
    tier: str | None
    by: str


@dataclass(frozen=True)
class Suite:
    rules: list[Judged]
    mutants: list[Killed]
    seconds: float

    @property
    def verdict(self) -> str:
        right = all(judged.right for judged in self.rules)
        return "exact" if right and all(k.tier for k in self.mutants) else "rejected"

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
            "seconds": round(self.seconds, 2),
        }

    def text(self) -> str:
        """The table a person reads, then one verdict line."""
        dead = sum(bool(killed.tier) for killed in self.mutants)
        worlds = sum(judged.worlds for judged in self.rules)
        return "\n".join(
            [
                "  rule           class        worlds  worst TV  twin   killed",
                *map(self._line, self.rules),
                *self._faults(),
                "",
                f"{self.verdict.upper()}: {len(self.rules)} rules in {worlds} worlds, "
                f"{dead} of {len(self.mutants)} mutants killed, {self.seconds:.1f} s",
            ]
        )

    def _line(self, judged: Judged) -> str:
        rule = judged.rule
        mine = [killed for killed in self.mutants if killed.mutant.rule == rule.name]
        dead = sum(bool(killed.tier) for killed in mine)
        twin = "-" if judged.twin is None else "WRONG" if judged.twin else "agrees"
        return (
            f"  {rule.name:14} {rule.losslessness:12} {judged.worlds:6}  "
            f"{judged.worst_tv!s:8}  {twin:6} {dead:2} of {len(mine):2} mutants"
        )

    def _faults(self) -> Iterator[str]:
        for killed in self.mutants:
            if not killed.tier:
                yield f"  ALIVE {killed.mutant.name}: {killed.mutant.line}"
        for judged in self.rules:
            yield from (f"  TWIN {judged.rule.name}: {d}" for d in judged.twin or [])


def judge(rule: Rule, full: bool = False) -> Judged:
    """Every world of the rule; the twin replays the rule's golden vectors."""
    every = list(worlds(rule, full))
    bias = [exact.bias(rule.verify, world, rule.losslessness) for world in every]
    twin = None
    if find_spec("torch"):
        from specsim.oracle import twins

        twin = twins.disagreements(rule)
    return Judged(rule, len(every), max(bias), twin)


def kill(mutant: Mutant | CoinFault | Wiring) -> Killed:
    """The first world, or vector, that tells the mutant from its reference.

    A law that differs is preferred to a world in which it asks the impossible.
    """
    rule = RULES[mutant.rule]
    if isinstance(mutant, CoinFault):
        return Killed(mutant, *_by_vectors(mutant, rule))
    dead = Killed(mutant, None, "alive")
    for world in worlds(rule):
        where = mutant.wire(world) if isinstance(mutant, Wiring) else world
        verify = mutant.verify if isinstance(mutant, Mutant) else rule.verify
        try:
            bias = exact.bias(
                verify, where, rule.losslessness, diagnosis.reading(mutant)
            )
        except (randomness.Refused, ZeroDivisionError) as refusal:
            dead = (
                dead if dead.tier else Killed(mutant, "refusal", f"{world}: {refusal}")
            )
            continue
        if bias:
            return Killed(mutant, "law", f"{world}: TV {bias}")
    return dead


def _by_vectors(fault: CoinFault, rule: Rule) -> tuple[str | None, str]:
    for vector in vectors.load(rule.name):
        block = vectors.replay(vector, rule.verify, coins=fault.replay)
        if not vectors.legal(vector, block):
            return f"{vector.class_} vector", vector.id
    return None, "alive"


def run(full: bool = False) -> Suite:
    """All of it; `full` adds the large worlds."""
    start = time.monotonic()
    rules = [judge(rule, full) for rule in RULES.values()]
    mutants = [kill(mutant) for mutant in MUTANTS.values()]
    return Suite(rules, mutants, time.monotonic() - start)
