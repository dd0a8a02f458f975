"""Vectors for planted bugs that no other vector shows."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.vectors.drawn import RECIPES, first
from specsim.oracle.vectors.vector import Vector, legal, replay
from specsim.rules import Rule
from specsim.seam import probs, randomness

BEYOND = 1000
"""The number of the first vector that is tried: all others are below."""
TRIES = 200


class Reusing(randomness.Uniforms):
    """Written uniforms for code that reads one twice, or one meant for another use."""

    def _name(self, purpose: str, index: int) -> randomness.Coin:
        return purpose, index

    def again(self, purpose: str, index: int, weights: probs.Probs) -> int:
        return self._pick((purpose, index), weights)


def reusing(
    accept: Sequence[Any], sample: Sequence[Any], race: Sequence[Any] = ()
) -> Reusing:
    written = {"accept": accept, "sample": sample}
    return Reusing(
        lambda coin: written[coin[0]][coin[1]], lambda d, n: np.array(race[d][:n])
    )


def shows(vector: Vector, mutant: Mutant) -> bool:
    """Does the mutant fail this vector? A crash is a failure as well."""
    try:
        block = replay(vector, mutant.verify, coins=reusing)
    except IndexError:
        block = None
    return not legal(vector, block)


def targeted(rule: Rule, others: Sequence[Vector]) -> Iterator[Vector]:
    """For each planted bug of the rule that `others` miss, the first vector drawn that
    shows it; none where there is none to be found.
    """
    for mutant in MUTANTS.values():
        if not isinstance(mutant, Mutant) or mutant.rule != rule.name:
            continue
        if not any(shows(vector, mutant) for vector in others):
            yield from islice((v for v in more(rule) if shows(v, mutant)), 1)


def more(rule: Rule) -> Iterable[Vector]:
    """Vectors like the others, beyond them, of each recipe in turn."""
    numbers = islice(count(BEYOND), TRIES // len(RECIPES))
    return (first(rule, n, recipe) for n in numbers for recipe in RECIPES)
