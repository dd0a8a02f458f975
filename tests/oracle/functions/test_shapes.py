"""Functions called as the public ones are: the right ones pass, the wrong do not."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle import cases, exact
from specsim.oracle.engines import child, contract
from specsim.oracle.worlds import World
from tests.gpu.cases import torch

HERE = "tests.oracle.functions.shaped"
CHAINS = [w for w in cases.chains() if w.vocab < 5 and len(w.branching) < 3][5:11]
FUNCTIONS = {
    "rejection_rows": ("rows rows_at_once", "rows_without_residual"),
    "speculative_sampling": ("hugging", "hugging_swapped"),
    "speculative_decode": ("fast", "fast_bonus_is_likeliest"),
    "prefix_sampling": ("prefix", "prefix_keeps_one_less"),
    "evaluate_posterior": ("posterior", "posterior_forgets"),
    "accept_step": ("WithoutReplacement", "WithReplacement"),
    "accept_step_iid": ("WithReplacement", "WithoutReplacement"),
}


def off(spec: str, world: World, operation: str, how: str = "symbolic") -> float:
    """How far, at most, an engine's odds of any token are off; 1 where it raises."""
    calls, odds = cases.calls(world, operation)
    answer = child.Host(spec).law(calls, "rng", how, 60.0, 16)
    if "failed" in answer:
        return 1.0
    mixed: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for share, law in zip(odds, answer["laws"], strict=True):
        for block, weight in law:
            mixed[tuple(block)] += share * Fraction(weight)
    gaps = exact.gaps(dict(mixed), world.truth)
    return max((float(abs(gap.got - gap.want)) for gap in gaps), default=0.0)


def worst(shape: str, function: str) -> float:
    """The same over some worlds of the sort that the shape is for."""
    spec = f"{shape}({HERE}:{function})"
    kinds = getattr(contract.load(spec), "kinds", ())
    worlds = cases.trees("smoke", tuple(kinds))[:5] if kinds else CHAINS
    operation = "verify_tree" if kinds else "verify"
    return max(off(spec, world, operation) for world in worlds)


@pytest.mark.torch
@pytest.mark.distribution
@pytest.mark.parametrize("shape", FUNCTIONS)
def test_the_law_of_a_function_is_read_by_its_shape(shape: str) -> None:
    right, wrong = FUNCTIONS[shape]
    for function in right.split():
        assert worst(shape, function) < 2**-20, function
    for function in wrong.split():
        assert worst(shape, function) > 2**-10, function


@pytest.mark.torch
@pytest.mark.distribution
def test_a_compiled_function_of_coins_is_read_from_outside() -> None:
    shape = f"tree_speculative_sampling_target_only({HERE}:{{}})"
    world = cases.trees("smoke", ("fixed",))[1]
    assert off(shape.format("tree"), world, "verify_tree", "scripted") < 2**-20
    wrong = shape.format("tree_of_the_target")
    assert off(wrong, world, "verify_tree", "scripted") > 2**-10


@pytest.mark.torch
def test_a_function_with_luck_of_its_own_gets_a_seed() -> None:
    p, q = np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[0.25, 0.75]])
    tokens = np.array([1])
    engine = contract.load(f"chain_speculative_sampling({HERE}:chain)")
    emitted = []
    for seed in range(20):
        again = [
            engine(p, q, tokens, rng=np.random.default_rng(seed)) for _ in range(2)
        ]
        assert again[0] == again[1]
        emitted.append(tuple(again[0]))
    assert {(0,), (1, 0), (1, 1)} == {*emitted}


@pytest.mark.torch
def test_a_tree_is_told_by_paths_and_by_links() -> None:
    from specsim.oracle.engines import shapes

    parents = np.array([-1, -1, 0, 0, 2])
    assert shapes.paths(parents).tolist() == [
        [0, 1, 3, 5],
        [0, 1, 4, -1],
        [0, 2, -1, -1],
    ]
    index, first, following = (row[0].tolist() for row in shapes.links(parents))
    assert index == [0, 1, 2, 3, 4, 5]
    assert first == [1, 3, -1, 5, -1, -1]
    assert following == [-1, 2, -1, 4, -1, -1]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("rejection_rows(no.such:thing)", "No module named 'no'"),
        (f"no_such_shape({HERE}:rows)", "has no attribute 'no_such_shape'"),
        (f"rejection_rows({HERE}:no_such)", "has no attribute 'no_such'"),
        ("rejection_rows(rows)", "write it as module:attribute"),
        (f"{HERE}:rows({HERE}:rows)", "loading it failed: TypeError"),
    ],
)
def test_a_shape_or_function_that_is_not_there_is_told(
    spec: str, complaint: str
) -> None:
    assert torch
    with pytest.raises(Bad, match=complaint):
        contract.load(spec)
