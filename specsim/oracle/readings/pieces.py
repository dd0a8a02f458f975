"""A step function of uniforms, one after the other, as the tree of its pieces."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from specsim.oracle.readings.scripts import EDGE, Script

H = TypeVar("H", bound=Hashable)


class Read(NamedTuple, Generic[H]):
    """A law and how far from it, in total variation, the true one may be."""

    law: dict[H, Fraction]
    error_bound: float


class Tree(NamedTuple, Generic[H]):
    """The outcome, where there are no parts; else the parts of the next uniform."""

    outcome: H
    cuts: list[float]
    parts: "list[Tree[H]]"

    def foretells(self, script: Script, outcome: H, width: float) -> bool:
        """Whether the script ends in this outcome; true within `width` of a cut, where
        none can tell.
        """
        tree, depth = self, 0
        while tree.parts:
            x = script(depth)
            if any(abs(x - cut) <= width for cut in tree.cuts):
                return True
            tree, depth = tree.parts[bisect(tree.cuts, x)], depth + 1
        return tree.outcome == outcome

    def law(self, width: float) -> Read[H]:
        """The odds of each outcome, every cut being known to `width`."""
        if not self.parts:
            return Read({self.outcome: Fraction(1)}, 0.0)
        odds: dict[H, Fraction] = defaultdict(Fraction)
        bound = 2 * EDGE + len(self.cuts) * width
        for (a, b), part in zip(pairwise([0, *self.cuts, 1]), self.parts, strict=True):
            share = Fraction(b) - Fraction(a)
            below = part.law(width)
            bound += float(share) * below.error_bound
            for outcome, weight in below.law.items():
                odds[outcome] += share * weight
        return Read(dict(odds), bound)
