"""What is found, against trying everything."""

from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.roofline import deploy
from specsim.roofline.deployment import Deployment
from specsim.roofline.speculation import best_k, best_tree, break_even, speculate
from specsim.roofline.speculation.acceptance import Emitted, Positions


def on(model: str = "8b", gpu: str = "h100", **options: Any) -> Deployment:
    return deploy(model, gpu, **options)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("batch", [1, 64, 512])
def test_the_best_length_is_best_of_all(alpha: float, batch: int) -> None:
    made = best_k(on(), "draft", draft_model="1b", alpha=alpha, batch=batch)
    every = [1.0] + [
        float(
            speculate(on(), "draft", draft_model="1b", alpha=alpha, batch=batch, k=k)
            .speedup
        )
        for k in range(1, 17)
    ]  # fmt: skip
    assert made.k == int(np.argmax(every))
    assert made.speedup == pytest.approx(max(every))


def test_arrays_are_searched_together() -> None:
    alpha, batch = np.array([0.2, 0.8]), np.array([[1], [100]])
    together = best_k(on(), "eagle3", alpha=alpha, batch=batch)
    for i, j in np.ndindex(2, 2):
        one = best_k(on(), "eagle3", alpha=float(alpha[j]), batch=int(batch[i, 0]))
        assert together.k[i, j] == one.k
        assert together.speedup[i, j] == pytest.approx(one.speedup)


def test_better_drafts_are_longer_and_larger_batches_shorter() -> None:
    by_alpha = best_k(on(), "eagle3", alpha=np.linspace(0.1, 0.95, 12)).k
    assert np.all(np.diff(by_alpha) >= 0)
    by_batch = best_k(on(), "eagle3", alpha=0.8, batch=2 ** np.arange(10)).k
    assert by_batch[-1] < by_batch[0]


def test_rates_by_position_end_the_search() -> None:
    made = best_k(on(), "eagle3", alpha=Positions((0.9, 0.9, 0.9)))
    assert made.k == 3


def test_tokens_per_step_cannot_be_searched() -> None:
    with pytest.raises(Bad, match="one k"):
        best_k(on(), "eagle3", alpha=Emitted(3.0))


@pytest.mark.parametrize("batch", [1, 24])
def test_the_best_tree_is_best_of_all(batch: int) -> None:
    asked: dict[str, Any] = {"alpha": 0.6, "batch": batch, "context": 512}
    found = best_tree(on(), "eagle3", largest=10, deepest=4, **asked)
    every = {
        (nodes, depth): float(
            speculate(on(), "eagle3", tree=nodes, k=depth, **asked).speedup
        )
        for nodes in range(1, 11)
        for depth in range(1, 5)
    }
    assert found.speedup == pytest.approx(max(every.values()))
    assert every[found.nodes, found.depth] == pytest.approx(found.speedup)


def test_a_tree_is_no_worse_than_a_chain() -> None:
    for alpha in (0.4, 0.8):
        chain = best_k(on(), "eagle3", alpha=alpha, longest=8).speedup
        tree = best_tree(on(), "eagle3", alpha=alpha, deepest=8).speedup
        # a tree pays for its masks, a few hundredths of a step
        assert tree > 0.97 * chain


def test_no_tree_helps_a_draft_that_is_never_right() -> None:
    found = best_tree(on(), "eagle3", alpha=0.01, largest=20)
    assert (found.nodes, found.speedup) == (0, 1.0)


def test_break_even_is_where_speedup_crosses_one() -> None:
    asked: dict[str, Any] = {"alpha": 0.6, "k": 4, "tree": 0, "context": 64}
    made = break_even(on(), "eagle3", **asked)
    batch = np.arange(1, made.most + 1)
    speedup = speculate(on(), "eagle3", batch=batch, **asked).speedup
    lost = np.flatnonzero(speedup < 1) + 1
    assert made.first == lost[0]
    inside = [n for a, b in made.losing for n in range(a, b + 1)]
    assert inside == lost.tolist()


def test_a_mixture_crosses_more_than_once() -> None:
    target = on("qwen3-30b-a3b")
    made = break_even(target, "eagle3", alpha=0.5, k=4, tree=0, context=512)
    assert len(made.losing) >= 2
    (first, last), (again, _), *_ = made.losing
    assert made.first == first <= last < again - 1
    between = speculate(target, "eagle3", alpha=0.5, k=4, tree=0, context=512,
                        batch=(last + again) // 2)  # fmt: skip
    assert between.speedup > 1


def test_what_never_loses_says_so() -> None:
    made = break_even(on(), "ngram", alpha=1.0, k=1, most=64)
    assert made.first is None
    assert made.losing == ()


@pytest.mark.parametrize("wrong", [{"longest": 0}, {"longest": -3}])
def test_nothing_to_search(wrong: dict[str, Any]) -> None:
    with pytest.raises(Bad, match="longest"):
        best_k(on(), "eagle3", alpha=0.5, **wrong)


def test_no_batches() -> None:
    with pytest.raises(Bad, match="most"):
        break_even(on(), "eagle3", alpha=0.5, most=0)
