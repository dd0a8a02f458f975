"""How a fault is planted: a reference's own source with one line replaced.

The faults are deliberate: nothing outside the oracle imports them.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from types import ModuleType
from typing import Any

import numpy as np

from specsim import seam
from specsim.oracle.worlds import World
from specsim.rules import RULES, Rule, Verify
from specsim.seam import probs, proposal, randomness

COIN_REUSED = "coin reused"
"""The kind of fault whose law needs coins that can be tossed twice."""


RACE_SHARED = "race shared"
"""The kind of fault whose law needs races: no engine is sent any."""


@dataclass(frozen=True)
class Mutant:
    """One line of `reference/verify/<rule>.py`, `old`, written as `new`.

    kind:    what sort of fault it is, in a few words.
    reports: public issues, pull requests or commits where it was seen.
    """

    name: str
    rule: str
    old: str
    new: str
    kind: str
    reports: tuple[str, ...] = ()

    @cached_property
    def verify(self) -> Verify:
        verify: Verify = rewritten(f"verify.{self.rule}", self.old, self.new).verify
        return verify

    @property
    def row(self) -> Rule:
        return RULES[self.rule]

    @property
    def races(self) -> bool:
        """Whether it reads races, which no engine is sent."""
        return self.kind == RACE_SHARED or self.row.races > 0

    @property
    def line(self) -> str:
        return f"{self.old}  ->  {self.new}"


def into(rule: str) -> Callable[..., Mutant]:
    """Rows of mutants of one rule: (name, old, new, kind, *reports)."""

    def row(name: str, old: str, new: str, kind: str, *reports: str) -> Mutant:
        return Mutant(name, rule, old, new, kind, reports)

    return row


@dataclass(frozen=True)
class CoinFault:
    """One line of `reference/randomness.py`: how a uniform is read, read otherwise.

    Laws cannot see it (the edges of an interval have no mass); vectors can.
    """

    name: str
    old: str
    new: str
    kind: str
    reports: tuple[str, ...] = ()
    rule: str = "chain"

    @cached_property
    def replay(self) -> Callable[..., randomness.Source]:
        replay: Callable[..., randomness.Source]
        replay = rewritten("randomness", self.old, self.new).replay
        return replay

    @property
    def line(self) -> str:
        return f"{self.old}  ->  {self.new}"


@dataclass(frozen=True)
class Wiring:
    """A right rule fed by a drafter that does not draw from the q it declares."""

    name: str
    rule: str
    propose: Callable[[World, randomness.Source], proposal.Proposal]
    line: str
    kind: str
    reports: tuple[str, ...] = ()

    def wire(self, world: World) -> World:
        return Wired(**vars(world), propose=self.propose)


@dataclass(frozen=True)
class Wired(World):
    propose: Callable[[World, randomness.Source], proposal.Proposal] = World.draft

    def draft(self, source: randomness.Source) -> proposal.Proposal:
        return self.propose(self, source)


def rewritten(stem: str, old: str, new: str) -> ModuleType:
    """The module reference/<stem> with `old` replaced; ValueError unless it is there
    exactly once.
    """
    return altered(seam.reference(stem), old, new)


def altered(module: ModuleType, old: str, new: str) -> ModuleType:
    """The same of any module."""
    source = inspect.getsource(module)
    if (times := source.count(old)) != 1:
        raise ValueError(f"{old!r} stands {times} times in {module.__name__}, not once")
    broken = ModuleType(f"{module.__name__}_rewritten")
    broken.__dict__.update(HELPERS, __package__=module.__name__.rpartition(".")[0])
    exec(compile(source.replace(old, new), broken.__name__, "exec"), broken.__dict__)
    return broken


def half(row: probs.Probs) -> probs.Probs:
    """A row of Fractions rounded to 16-bit floats."""
    rounded = np.asarray(row, dtype=np.float16)
    exact = [Fraction(float(w)) for w in rounded.ravel()]
    return np.array(exact, dtype=object).reshape(rounded.shape)


def coarse(prob: Fraction) -> Fraction:
    """The odds that an integer out of 0..100, over 100, is at most `prob`."""
    return Fraction(floor(prob * 100) + 1, 101)


HELPERS: dict[str, Any] = {
    "Fraction": Fraction,
    "coarse": coarse,
    "half": half,
    "np": np,
    "one_hot": probs.one_hot,
    "without": probs.without,
}
