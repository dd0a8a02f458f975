"""Planted drafters as engines: each declares a q that it does not draw from."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Wiring
from specsim.oracle.worlds import World
from specsim.rules import RULES
from specsim.seam import probs, table

Array = np.ndarray[Any, Any]
Model = Callable[[Sequence[int]], Array]
GRAIN = 2**40
"""Of the rows that a planted drafter computes with, which are fractions."""


class Drawn:
    """A Source that draws by inverse CDF from a Generator."""

    def __init__(self, rng: Any):
        self._rng = rng

    def draft(self, i: int, weights: Array) -> int:
        cdf = np.cumsum(weights).astype(float)
        u = self._rng.random()
        return int(np.searchsorted(cdf, u * cdf[-1], side="right"))

    sample = race = draft

    def accept(self, i: int, prob: Any) -> bool:
        return bool(self._rng.random() < float(prob))


class Planted:
    """A wiring behind the contract for drafters. Its draft is a chain, or two children
    of which the first has one each.
    """

    def __init__(self, wiring: Wiring):
        self._wiring = wiring

    def draft(self, model: Model, context: list[int], k: int, *, rng: Any) -> Any:
        said = self._wiring.propose(self._world(model, context, k), Drawn(rng))
        q = None if said.q is None else said.q.astype(float)
        return said.tokens, said.parents, q, said.kind

    def _world(self, model: Model, context: list[int], k: int) -> World:
        def rows(prefix: tuple[int, ...]) -> probs.Probs:
            return fractions(model([*context, *prefix]))

        def others(prefix: tuple[int, ...]) -> probs.Probs:
            return rows((0, *prefix))

        tree = RULES[self._wiring.rule].tree
        shape = (1 + tree, *[1] * (k - 1))
        return World("asked", len(rows(())), others, rows, shape)


def fractions(row: Array) -> probs.Probs:
    """A row of floats as one of fractions that sums to one."""
    return table.row([round(float(w) * GRAIN) for w in row])


def __getattr__(name: str) -> Any:
    mutant = MUTANTS.get(name)
    if not isinstance(mutant, Wiring):
        raise AttributeError(f"no planted drafter {name!r}")
    return Planted(mutant)
