"""Trees of drafted tokens where acceptance hangs on the rank of a child alone.

The children of a node are tried in order, and rates[r] is the probability that the one
tried r-th (from 0) is kept, given that their parent was: the same at every node. Chen
et al. (2024), "Sequoia: scalable and robust speculative decoding", section 3, which
calls it the positional acceptance assumption. https://arxiv.org/abs/2402.12374

A tree is its list of parents, -1 for the root, each parent before its children; the
children of a node are tried as they are listed. What the best tree of a size emits is
`values.tree_tokens`. Fractions in, Fractions out; floats or arrays of them likewise.
"""

import heapq
from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

Number = Any
"""A Fraction, an int, a float or an array of floats."""

Path = tuple[int, ...]
"""A node: the ranks of its ancestors below the root, and its own."""


def survival(parents: Sequence[int], rates: Sequence[Number]) -> list[Number]:
    """Probabilities that a step keeps d drafted tokens or more, d = 0 to the depth.

    Their sum is what a step emits on average: one token, and one for each node times
    the odds of its path. A chain is the tree in which node i is the child of i - 1.

    >>> from fractions import Fraction
    >>> survival([-1, -1, 0], (Fraction(3, 5), Fraction(1, 5)))
    [1, Fraction(4, 5), Fraction(9, 25)]
    """
    paths = walked(parents)
    alive: list[Number] = [1] + [0] * max(map(len, paths), default=0)
    for path, each in zip(paths, odds(parents, rates), strict=True):
        alive[len(path)] = alive[len(path)] + each
    return alive


def odds(parents: Sequence[int], rates: Sequence[Number]) -> list[Number]:
    """Probability that each node is kept, with all that lead to it.

    >>> odds([-1, -1, 0], (0.5, 0.25))
    [0.5, 0.25, 0.25]
    """
    _checked(rates)
    paths = walked(parents)
    if (widest := max((path[-1] for path in paths), default=0)) >= len(rates):
        raise ValueError(f"a child of rank {widest}: rates end at {len(rates) - 1}")
    return [prod(rates[rank] for rank in path) for path in paths]


def walked(parents: Sequence[int]) -> list[Path]:
    """The path of each node.

    >>> walked([-1, -1, 0, 0])
    [(0,), (1,), (0, 0), (0, 1)]
    """
    paths: list[Path] = []
    tried = [0] * (len(parents) + 1)
    for node, parent in enumerate(parents):
        if not -1 <= parent < node:
            raise ValueError(f"node {node} has parent {parent}: parents come first")
        paths.append((*(paths[parent] if parent >= 0 else ()), tried[parent]))
        tried[parent] += 1
    return paths


def best(rates: Sequence[Number], nodes: int, depth: int | None = None) -> list[int]:
    """The parents of the tree of so many nodes, at most `depth` deep, that emits most.

    Best first: no node is likelier than its parent or than the sibling tried before it,
    so the likeliest nodes are a tree, and the first n of them the best tree of n. Rates
    must not increase. Fewer nodes where there are no more.

    >>> best((0.6, 0.2), 4)
    [-1, 0, 1, -1]
    """
    _checked(rates)
    if any(later > rate for rate, later in pairwise(rates)):
        raise ValueError("rates must not increase: the likelier child is tried first")
    chosen: dict[Path, int] = {}
    parents: list[int] = []
    waiting: list[tuple[Number, Path]] = [(-rates[0], (0,))] if depth != 0 else []
    while waiting and len(parents) < nodes:
        worth, path = heapq.heappop(waiting)
        parents.append(chosen.get(path[:-1], -1))
        chosen[path] = len(chosen)
        if (rank := path[-1] + 1) < len(rates):
            above = prod(rates[each] for each in path[:-1])
            heapq.heappush(waiting, (-above * rates[rank], (*path[:-1], rank)))
        if len(path) != depth:
            heapq.heappush(waiting, (worth * rates[0], (*path, 0)))
    return parents


def independent_paths(alpha: Number, k: int, paths: int) -> list[Number]:
    """The survival of `paths` chains of k, each of them accepted independently.

    Depth d is reached if any of them reaches it: an idealisation of candidates out of a
    pool of n-grams. Fu, Bailis, Stoica and Zhang (2024), "Break the sequential
    dependency of LLM inference using lookahead decoding", section 4.
    https://arxiv.org/abs/2402.02057

    >>> round(sum(independent_paths(0.6, 4, 5)), 3)
    4.087
    """
    return [1 - (1 - alpha**depth) ** paths if depth else 1 for depth in range(k + 1)]


def _checked(rates: Sequence[Number]) -> None:
    fine = rates and all(np.all(rate >= 0) for rate in rates)
    if not (fine and np.all(sum(rates) <= 1 + 1e-9)):
        raise ValueError("rates by rank: one or more, none below 0, 1 at most in all")
