"""Optimal transport with membership cost: how much of a target drafts can serve.

A tuple of drafted tokens serves the target when what is emitted is one of them. A plan
says how much of each tuple's share goes to each of its tokens; the largest is a maximum
flow, and its value a minimum cut.

Sun et al. (2023), "SpecTr: fast speculative decoding via optimal transport".
https://arxiv.org/abs/2310.15141
Hu et al. (2025), "Towards optimal multi-draft speculative decoding", for the cut over
sets of tokens and its sorted form. https://arxiv.org/abs/2502.18779
Fractions in, Fractions out; floats in, floats out.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from .probs import Probs, without
from .proposal import Kind
from .remembered import remembered

Drafted = tuple[int, ...]
Tuples = Mapping[Drafted, Any]
"""The law of the drafted tuple: its share by tokens; order and repeats mean nothing."""
Plan = dict[tuple[Drafted, int], Any]
"""The mass that goes from a tuple to one of its tokens; pairs with none are absent."""


def plan(weights: Probs, tuples: Tuples) -> tuple[Plan, Any]:
    """The plan that serves most, and how much that is. For small V.

    weights: (V,) what the target can take of each token: a row p, or a multiple of it
    tuples:  the law of the drafted tuple

    For every tuple t, sum_y plan[t, y] <= tuples[t]; for every token y,
    sum_t plan[t, y] <= weights[y]; and y is in t. Of the many optimal plans this is
    always the same one: shortest augmenting paths, lowest tokens and tuples first. The
    dict is remembered and shared: do not write to it.

    >>> plan(np.array([3, 1], dtype=object), {(0,): 2, (0, 1): 2})
    ({((0,), 0): 2, ((0, 1), 0): 1, ((0, 1), 1): 1}, 4)
    """
    return _plan(weights, tuple(sorted(tuples.items())))


def optimum(weights: Probs, tuples: Tuples) -> Any:
    """The same value as the minimum cut over all 2^V sets S of tokens.

    min over S of weights(S) + the share of the tuples that are not inside S.

    >>> optimum(np.array([3, 1], dtype=object), {(0,): 2, (0, 1): 2})
    4
    """
    return min(
        sum(weights[y] for y in inside)
        + sum(share for t, share in tuples.items() if not inside.issuperset(t))
        for inside in _subsets(len(weights))
    )


def optimum_iid(weights: Probs, q: Probs, n: int) -> Any:
    """The same value for n independent draws from q (V,), in O(V log V).

    min over S of weights(S) + 1 - q(S)^n, for which some prefix of the tokens in the
    order of weights / q is the best S.

    >>> from reference.model.table import row
    >>> optimum_iid(row([3, 2, 1]), row([1, 1, 2]), 2)
    Fraction(11, 12)
    """
    order = ascending(weights, q)
    cuts = np.cumsum(weights[order]) + 1 - np.cumsum(q[order]) ** n
    return min(1 - 0**n, *cuts)


@remembered
def siblings(q: Probs, n: int, kind: Kind) -> Tuples:
    """The law of n siblings drawn from q (V,), each tuple sorted.

    Without replacement there are fewer where the support runs out. ValueError for a
    kind of which some are not drawn.

    >>> from reference.model.table import row
    >>> siblings(row([2, 1]), 2, "iid")
    {(0, 0): Fraction(4, 9), (0, 1): Fraction(4, 9), (1, 1): Fraction(1, 9)}
    """
    if kind in ("fixed", "hub"):
        raise ValueError(f"siblings of a {kind} proposal are not draws from one row")
    law: dict[Drafted, Any] = {(): 1}
    for _ in range(n):
        longer: dict[Drafted, Any] = defaultdict(int)
        for t, share in law.items():
            row = q
            for y in t if kind == "without_replacement" else ():
                row = without(row, y)
            total = row.sum()
            if not total:
                longer[t] += share
            for y in map(int, np.flatnonzero(row)):
                longer[tuple(sorted((*t, y)))] += share * row[y] / total
        law = longer
    return dict(law)


def ascending(p: Probs, q: Probs) -> Probs:
    """The tokens that q draws, by p / q, the lower token of equals first."""
    drawn = np.flatnonzero(q)
    order: Probs = drawn[np.argsort(p[drawn] / q[drawn], kind="stable")]
    return order


@remembered
def _plan(weights: Probs, tuples: tuple[tuple[Drafted, Any], ...]) -> tuple[Plan, Any]:
    spare, room = dict(enumerate(weights)), dict(tuples)
    flow: Plan = defaultdict(int)
    while path := _augmenting(spare, room, flow):
        adding = list(zip(path[1::2], path[::2], strict=True))
        taking = list(zip(path[1::2], path[2::2], strict=False))
        amount = min(spare[path[0]], room[path[-1]], *(flow[pair] for pair in taking))
        for pair in adding:
            flow[pair] += amount
        for pair in taking:
            flow[pair] -= amount
        spare[path[0]] -= amount
        room[path[-1]] -= amount
    served = {pair: flow[pair] for pair in sorted(flow) if flow[pair]}
    return served, sum(served.values())


def _augmenting(
    spare: dict[int, Any], room: dict[Drafted, Any], flow: Plan
) -> list[Any]:
    """A shortest path token, tuple, ..., token, tuple that can carry more, or [].

    It starts at a token with something to spare and ends at a tuple with room; a tuple
    on the way gives back some of what it had from the token that follows.
    """
    above: dict[Any, Any] = {}
    level = _visit(above, ((None, y) for y, mass in spare.items() if mass > 0))
    while level:
        steps = ((y, t) for y in level for t in room if y in t)
        below = _visit(above, steps)
        for t in below:
            if room[t] > 0:
                return _traced(above, t)
        level = _visit(above, ((t, y) for t in below for y in t if flow[t, y] > 0))
    return []


def _visit(above: dict[Any, Any], steps: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Whatever is reached for the first time; `above` notes from where."""
    reached = []
    for here, there in steps:
        if there not in above:
            above[there] = here
            reached.append(there)
    return reached


def _traced(above: dict[Any, Any], end: Any) -> list[Any]:
    path = [end]
    while (before := above[path[-1]]) is not None:
        path.append(before)
    return path[::-1]


def _subsets(vocab: int) -> Iterator[frozenset[int]]:
    for size in range(vocab + 1):
        yield from map(frozenset, combinations(range(vocab), size))
