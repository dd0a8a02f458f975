"""The best draft length, the best tree, and the batches at which speculation loses."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from specsim import seam
from specsim.errors import Bad
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.speculation.acceptance import Emitted, ranks
from specsim.roofline.speculation.alpha import acceptance
from specsim.roofline.speculation.drafters import Drafter
from specsim.roofline.speculation.pricing import speculate
from specsim.roofline.speculation.shape import Shape, whole
from specsim.roofline.work import Amount

LONGEST = 16
"""Draft lengths that are tried, and levels of a tree."""

LARGEST = 128
"""Nodes of a tree that are tried."""

MOST = 4096
"""Batches that are tried."""


@dataclass(frozen=True)
class Length:
    """A draft length, 0 for none, and its speed-up; arrays where asked of arrays."""

    k: Amount
    speedup: Amount


@dataclass(frozen=True)
class Tree:
    """A tree that was worth most: its nodes, its depth, its speed-up; 0 nodes: none."""

    nodes: int
    depth: int
    speedup: float


@dataclass(frozen=True)
class BreakEven:
    """At which batches a step brings less than plain decoding.

    first:  the smallest of them; None if there is none up to `most`.
    losing: all of them, as ranges from, to. A mixture of experts may lose at a few
        sequences, win at more, and lose again when FLOPs bind.
    """

    first: int | None
    losing: tuple[tuple[int, int], ...]
    most: int


def best_k(
    deployment: Deployment,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    batch: Any = 1,
    context: Any = 2048,
    longest: int = LONGEST,
) -> Length:
    """The chain of 0 to `longest` tokens of greatest speed-up; the shorter of equals.

    alpha, batch and context may be arrays: the best for each of them. Rates by position
    end the search where they end.
    """
    given = acceptance(alpha)
    if isinstance(given, Emitted):
        raise Bad("tokens per step belong to one k: give alpha to look for the best")
    longest = min(longest, getattr(given, "most", longest))
    best: Length | None = None
    for k in range(1, longest + 1):
        made = speculate(
            deployment, name, alpha=given, draft_model=draft_model, k=k, tree=0,
            batch=batch, context=context,
        )  # fmt: skip
        speedup = np.asarray(made.speedup)
        if best is None:
            best = Length(np.zeros(speedup.shape, int), np.ones(speedup.shape))
        better = speedup > best.speedup
        best = Length(
            np.where(better, k, best.k), np.where(better, speedup, best.speedup)
        )
    if best is None:
        raise Bad(f"longest {longest}: give 1 or more")
    if np.ndim(best.k):
        return best
    return Length(int(best.k), float(best.speedup))


def best_tree(
    deployment: Deployment,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    batch: int = 1,
    context: int = 2048,
    largest: int = LARGEST,
    deepest: int = LONGEST,
) -> Tree:
    """The tree of greatest speed-up, by nodes and depth; a chain is one of them.

    For each depth the trees are the first n of one growing tree, each the one that
    emits most of its size; all are priced together.
    """
    given, trees = acceptance(alpha), seam.reference("trees")
    best = Tree(0, 0, 1.0)
    for depth in range(1, deepest + 1):
        parents = trees.best(ranks(given), largest, depth)
        odds = trees.odds(parents, ranks(given))
        tokens = np.fromiter(accumulate(odds, initial=1.0), float)[1:]
        deep = np.maximum.accumulate([len(path) for path in trees.walked(parents)])
        shape = Shape(np.arange(1, len(parents) + 1), deep, True)
        made = speculate(
            deployment, name, alpha=Emitted(tokens), draft_model=draft_model,
            tree=shape, batch=batch, context=context,
        )  # fmt: skip
        at = int(np.argmax(made.speedup))
        if made.speedup[at] > best.speedup:
            best = Tree(at + 1, int(deep[at]), float(made.speedup[at]))
    return best


def break_even(
    deployment: Deployment,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    k: int | None = None,
    tree: int | Sequence[int] | None = None,
    context: int = 2048,
    most: int = MOST,
) -> BreakEven:
    """The batches, 1 to `most`, at which speculation is slower than plain decoding.

    Whether so many sequences fit is another question: `Speculation.max_batch`.
    """
    made = speculate(
        deployment, name, alpha=alpha, draft_model=draft_model, k=k, tree=tree,
        batch=np.arange(1, whole("most", most, 1) + 1), context=context,
    )  # fmt: skip
    loses = np.concatenate([[False], made.speedup < 1, [False]])
    edges = np.flatnonzero(loses[1:] != loses[:-1])
    losing = tuple((int(a) + 1, int(b)) for a, b in edges.reshape(-1, 2))
    return BreakEven(losing[0][0] if losing else None, losing, most)
