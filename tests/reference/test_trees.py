"""Trees tried child by child, against every outcome of the tests, one by one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import theory, trees, values

TENTHS = [Fraction(n, 10) for n in (6, 2, 1)]
SHAPES = st.lists(st.integers(0, 20), max_size=6).map(
    lambda drawn: [value % (node + 1) - 1 for node, value in enumerate(drawn)]
)


def falling(values: list[int]) -> list[Fraction]:
    """Rates that do not increase and add up to 1 at most."""
    total = sum(values) + 1
    return [Fraction(value, total) for value in sorted(values, reverse=True)]


RATES = st.lists(st.integers(0, 9), min_size=6, max_size=6).map(falling)
FEW = st.lists(st.integers(0, 9), min_size=4, max_size=4).map(falling)


def enumerated(parents: list[int], rates: list[Fraction]) -> list[Fraction]:
    """P(d nodes or more are kept): at each node one child is kept, or none.

    Every node has decided which of its children it would keep, by rank; what is kept
    is the walk from the root along the decisions.
    """
    nodes = range(-1, len(parents))
    found = [Fraction(0)] * (len(parents) + 1)
    for choice in product(range(len(rates) + 1), repeat=len(nodes)):
        odds = Fraction(1)
        for rank in choice:
            odds *= rates[rank] if rank < len(rates) else 1 - sum(rates)
        at, depth = -1, 0
        while True:
            children = [n for n, parent in enumerate(parents) if parent == at]
            if (rank := choice[at + 1]) >= len(children):
                break
            at, depth = children[rank], depth + 1
        for d in range(depth + 1):
            found[d] += odds
    return found


@given(SHAPES.filter(lambda shape: len(shape) <= 4), FEW)
def test_survival_is_that_of_all_outcomes(
    parents: list[int], rates: list[Fraction]
) -> None:
    alive = trees.survival(parents, rates)
    every = enumerated(parents, rates)
    assert alive == every[: len(alive)]
    assert not any(every[len(alive) :])


@given(RATES, st.integers(0, 7))
def test_a_chain_is_a_tree(rates: list[Fraction], k: int) -> None:
    chain = list(range(-1, k - 1))
    assert sum(trees.survival(chain, rates)) == theory.tokens_per_step(rates[0], k)


@given(RATES, st.integers(0, 9), st.none() | st.integers(0, 4))
def test_best_is_that_of_the_dynamic_programme(
    rates: list[Fraction], nodes: int, depth: int | None
) -> None:
    parents = trees.best(rates, nodes, depth)
    emitted = sum(trees.survival(parents, rates))
    assert emitted == values.tree_tokens(rates, nodes, depth)
    assert all(depth is None or len(path) <= depth for path in trees.walked(parents))


@given(RATES)
def test_no_tree_of_four_is_better(rates: list[Fraction]) -> None:
    all_trees = product(*(range(-1, node) for node in range(4)))
    best = max(sum(trees.survival(shape, rates)) for shape in all_trees)
    assert sum(trees.survival(trees.best(rates, 4), rates)) == best


def test_the_first_of_a_growing_tree_are_the_best_of_their_size() -> None:
    parents = trees.best(TENTHS, 30, 5)
    assert len(parents) == 30
    for n in range(30):
        assert parents[:n] == trees.best(TENTHS, n, 5)


def test_rates_may_be_arrays_of_scenarios() -> None:
    alpha = np.array([0.2, 0.5, 0.9])
    together = trees.survival([-1, -1, 0], [alpha, (1 - alpha) / 2])
    for at, each in enumerate(alpha):
        apart = trees.survival([-1, -1, 0], [each, (1 - each) / 2])
        assert [float(np.broadcast_to(one, 3)[at]) for one in together] == apart


@pytest.mark.parametrize(("k", "paths"), [(1, 1), (2, 3), (3, 2)])
def test_independent_paths_by_all_lengths(k: int, paths: int) -> None:
    alpha = Fraction(3, 5)
    reached = [alpha**d * (1 - alpha if d < k else 1) for d in range(k + 1)]
    mean = Fraction(0)
    for lengths in product(range(k + 1), repeat=paths):
        odds = Fraction(1)
        for length in lengths:
            odds *= reached[length]
        mean += odds * (max(lengths) + 1)
    assert sum(trees.independent_paths(alpha, k, paths)) == mean


def test_one_path_is_a_chain() -> None:
    alpha = Fraction(2, 3)
    one = sum(trees.independent_paths(alpha, 5, 1))
    assert one == theory.tokens_per_step(alpha, 5)


@pytest.mark.parametrize("parents", [[0], [-1, 1], [-2], [-1, 5]])
def test_parents_come_first(parents: list[int]) -> None:
    with pytest.raises(ValueError, match="parents come first"):
        trees.walked(parents)


@pytest.mark.parametrize("rates", [[], [0.6, 0.5], [-0.1], [float("nan")]])
def test_rates_are_shares(rates: list[float]) -> None:
    with pytest.raises(ValueError, match="rates by rank"):
        trees.survival([-1], rates)


def test_more_children_than_rates() -> None:
    with pytest.raises(ValueError, match="rank 1"):
        trees.survival([-1, -1], [0.5])


def test_the_likelier_child_is_tried_first() -> None:
    with pytest.raises(ValueError, match="increase"):
        trees.best([0.2, 0.5], 3)
