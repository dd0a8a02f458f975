"""The law a lossy engine declares: that of a lossy rule, in place of the target's."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property

import numpy as np

from specsim.oracle import exact
from specsim.oracle.report import TARGETS
from specsim.oracle.worlds import World
from specsim.rules import Rule, named
from specsim.seam import probs, proposal


@dataclass(frozen=True)
class Declared(World):
    """A world whose right rows are those of what `rule` emits in it.

    As with the target's law, what counts is each token given those before it, however
    long the block is; a prefix that the rule never reaches has a row of zeros.
    """

    rule: str = ""

    @cached_property
    def truth(self) -> proposal.Rows:
        rows = exact.conditionals(exact.emitted(named(self.rule).verify, self))

        def row(prefix: tuple[int, ...]) -> probs.Probs:
            odds = rows.get(prefix, {})
            every = [odds.get(x, Fraction()) for x in range(self.vocab)]
            return np.array(every, dtype=object)

        return row


def held(worlds: Sequence[World], rule: Rule | None) -> list[World]:
    """The worlds, in which the rule's law is the right one if there is a rule.

    Those with a kind of draft that the rule does not accept are left out.
    """
    if rule is None:
        return [*worlds]
    names = [field.name for field in fields(World)]
    return [
        Declared(**{name: getattr(world, name) for name in names}, rule=rule.name)
        for world in worlds
        if world.kind in rule.accepts
    ]


def law(rule: Rule | None) -> str:
    """Whose law it is, for people."""
    if rule is None:
        return TARGETS
    tv = exact.figure(Fraction(rule.bias))
    return f"that of the lossy rule {rule.name}, up to TV {tv} from the target's"
