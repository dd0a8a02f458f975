"""Chains and trees as shapes."""

from typing import Any

import numpy as np
import pytest

from reference import trees
from specsim.errors import Bad
from specsim.roofline.speculation.acceptance import Alike, Emitted, Positions, ranks
from specsim.roofline.speculation.acceptance import tokens as emitted
from specsim.roofline.speculation.shape import Shape, best_tree, shaped, whole


def test_a_chain_has_one_token_a_level() -> None:
    made = shaped(4, 0, Alike(0.5))
    assert (made.nodes, made.depth, made.width, made.tree) == (4, 4, 1, False)


def test_a_tree_is_as_wide_as_its_levels_on_average() -> None:
    made = shaped(1, [-1, -1, -1, 0, 3], Alike(0.5))
    assert (made.nodes, made.depth, made.width) == (5, 3, 2)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.9])
def test_the_tree_of_a_size_is_the_best_of_it(alpha: float) -> None:
    made = shaped(3, 12, Alike(alpha))
    exact = trees.survival(trees.best(ranks(Alike(alpha)), 12, 3), ranks(Alike(alpha)))
    assert made.depth <= 3
    assert emitted(Alike(alpha), made.depth, made.parents) == sum(exact)


def test_of_measured_tokens_a_tree_is_its_size() -> None:
    assert shaped(6, 59, Emitted(4.2)) == Shape(59, 6, True)


def test_lengths_may_be_arrays() -> None:
    made = shaped(np.array([1, 5]), 0, Alike(0.5))
    assert made.nodes.tolist() == [1, 5]


@pytest.mark.parametrize(
    ("k", "tree", "given"),
    [(-1, 0, Alike(0.5)), (1.5, 0, Alike(0.5)), ("4", 0, Alike(0.5)),
     (4, -1, Alike(0.5)), (4, 10**6, Alike(0.5)), (4, [], Alike(0.5)),
     (4, [0], Alike(0.5)), (4, [-1, "a"], Alike(0.5)), (4, 8, Positions((0.5,) * 4)),
     (np.array([2, 3]), 8, Alike(0.5)), (4, 8, Alike(np.array([0.5, 0.6]))),
     (4, 8, Alike(0.0)), (float("nan"), 0, Alike(0.5)), (True, 0, Alike(0.5)),
     (10**10, 0, Alike(0.5)), ([], 0, Alike(0.5))],
)  # fmt: skip
def test_a_shape_that_is_none(k: Any, tree: Any, given: Any) -> None:
    with pytest.raises(Bad):
        shaped(k, tree, given)


def test_whole_numbers_keep_their_shape() -> None:
    assert whole("k", np.array([[1.0, 2.0]]), 0).tolist() == [[1, 2]]
    assert whole("k", np.int64(3), 0) == 3
    with pytest.raises(Bad, match="batch"):
        whole("batch", np.array([1, 0]), 1)


def test_a_deep_tree_of_a_sure_draft_is_a_chain() -> None:
    assert best_tree(Alike(0.99), 5).parents == (-1, 0, 1, 2, 3)
