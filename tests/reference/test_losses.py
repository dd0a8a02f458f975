"""Values against their definitions, gradients against differences and autograd."""

from collections.abc import Callable
from functools import partial
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference import losses
from reference.logits import softmax
from reference.losses import Loss
from reference.probs import Probs, one_hot, residual

Objective = Callable[[Probs, Probs], Loss]
OBJECTIVES: dict[str, Objective] = {
    "cross_entropy": losses.cross_entropy,
    "forward_kl": losses.forward_kl,
    "forward_kl at 2": lambda p, z: losses.forward_kl(p, z, 2.0),
    "reverse_kl": losses.reverse_kl,
    "reverse_kl at 0.7": lambda p, z: losses.reverse_kl(p, z, 0.7),
    "generalised_jsd": losses.generalised_jsd,
    "generalised_jsd at 0.1": lambda p, z: losses.generalised_jsd(p, z, 0.1),
    "total_variation": losses.total_variation,
    "negative_log_acceptance": losses.negative_log_acceptance,
}
ZERO_AT_EQUAL = OBJECTIVES.keys() - {"cross_entropy"}
KINKED = "total_variation", "negative_log_acceptance"
"""Their gradient jumps where p and q are equal."""
INFINITE_AT_ZEROS = {"reverse_kl", "reverse_kl at 0.7"}


@pytest.fixture(params=OBJECTIVES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rows(seed: int, *shape: int, zeros: bool = False) -> tuple[Probs, Probs]:
    """Target rows and draft logits; every third word has no mass if asked."""
    rng = np.random.default_rng(seed)
    p, z = softmax(2 * rng.standard_normal(shape)), 2 * rng.standard_normal(shape)
    if zeros:
        p[..., ::3] = 0
        p /= p.sum(-1, keepdims=True)
    return p, z


def slopes(value: Callable[[Probs], Probs], z: Probs, step: float = 1e-6) -> Probs:
    """Central differences of the sum over positions, entry by entry."""
    made = np.empty_like(z)
    for at in np.ndindex(z.shape):
        moved = np.zeros_like(z)
        moved[at] = step
        made[at] = (value(z + moved) - value(z - moved)).sum() / (2 * step)
    return made


def value_of(objective: Objective, p: Probs, z: Probs) -> Probs:
    return objective(p, z).value


def test_the_gradient_is_the_slope_of_the_value(name: str) -> None:
    objective = OBJECTIVES[name]
    for zeros in {False, name not in INFINITE_AT_ZEROS}:
        p, z = rows(1, 2, 3, 7, zeros=zeros)
        value, gradient = objective(p, z)
        assert value.shape == (2, 3)
        assert (value > 0).all()
        expected = slopes(partial(value_of, objective, p), z)
        np.testing.assert_allclose(gradient, expected, atol=1e-7)


def test_no_direction_but_those_that_move_q(name: str) -> None:
    """Adding to all logits changes nothing, so gradients sum to zero."""
    p, z = rows(2, 4, 9)
    np.testing.assert_allclose(OBJECTIVES[name](p, z).gradient.sum(-1), 0, atol=1e-12)
    shifted = OBJECTIVES[name](p, z + 5).value
    np.testing.assert_allclose(shifted, OBJECTIVES[name](p, z).value)


@pytest.mark.parametrize("name", sorted(ZERO_AT_EQUAL))
def test_nothing_is_lost_where_the_draft_is_the_target(name: str) -> None:
    _, z = rows(3, 4, 9)
    temperature = {"forward_kl at 2": 2.0, "reverse_kl at 0.7": 0.7}.get(name, 1.0)
    value, gradient = OBJECTIVES[name](softmax(z, temperature), z)
    np.testing.assert_allclose(value, 0, atol=1e-12)
    if name not in KINKED:
        np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_words_on_which_the_two_agree_count_one_half() -> None:
    """Half way between the slopes to either side, where alpha is one half."""
    p, z = np.array([0.5, 0.5, 0]), np.array([0, -np.inf, 0])
    distance, logged = (OBJECTIVES[name](p, z) for name in KINKED)
    np.testing.assert_allclose(distance.gradient, [-1 / 8, 0, 1 / 8])
    np.testing.assert_allclose(logged.gradient, [-1 / 4, 0, 1 / 4])


@given(seed=st.integers(0, 50), zeros=st.booleans())
def test_total_variation_is_what_a_chain_rule_rejects(seed: int, zeros: bool) -> None:
    p, z = rows(seed, 8, zeros=zeros)
    q = softmax(z)
    value = losses.total_variation(p, z).value
    np.testing.assert_allclose(value, residual(p, q).sum(), atol=1e-12)
    np.testing.assert_allclose(1 - value, np.minimum(p, q).sum(), atol=1e-12)
    np.testing.assert_allclose(
        losses.negative_log_acceptance(p, z).value, -np.log(1 - value), atol=1e-9
    )


@given(seed=st.integers(0, 50))
def test_the_gradient_of_the_log_is_that_of_the_distance_over_alpha(seed: int) -> None:
    p, z = rows(seed, 8)
    distance = losses.total_variation(p, z)
    logged = losses.negative_log_acceptance(p, z)
    expected = distance.gradient / (1 - distance.value)
    np.testing.assert_allclose(logged.gradient, expected, atol=1e-9)


def test_the_log_keeps_its_slope_where_alpha_is_too_small_for_a_float() -> None:
    p = np.array([1.0, 0, 0])
    z = np.array([-800.0, 0, 0])
    assert softmax(z)[0] == 0
    value, gradient = losses.negative_log_acceptance(p, z)
    np.testing.assert_allclose(value, 800 + np.log(2))
    np.testing.assert_allclose(gradient, [-1, 0.5, 0.5])


def test_labels_are_one_hot_rows() -> None:
    _, z = rows(4, 6)
    value, gradient = losses.cross_entropy(one_hot(2, z), z)
    np.testing.assert_allclose(value, -np.log(softmax(z)[2]))
    np.testing.assert_allclose(gradient, softmax(z) - np.eye(6)[2])


def test_cross_entropy_and_forward_kl_pull_alike() -> None:
    p, z = rows(5, 3, 6)
    np.testing.assert_array_equal(
        losses.cross_entropy(p, z).gradient, losses.forward_kl(p, z).gradient
    )


def test_generalised_jsd_tends_to_the_two_divergences() -> None:
    """KL(p | q) times beta near 0, KL(q | p) times 1 - beta near 1."""
    p, z = rows(6, 3, 6)
    near = 1e-6
    first = losses.generalised_jsd(p, z, near).value / near
    last = losses.generalised_jsd(p, z, 1 - near).value / near
    np.testing.assert_allclose(first, losses.forward_kl(p, z).value, rtol=1e-4)
    np.testing.assert_allclose(last, losses.reverse_kl(p, z).value, rtol=1e-4)


def test_words_the_draft_does_not_have_get_no_gradient(name: str) -> None:
    p, z = rows(7, 6)
    z[[1, 4]] = -np.inf
    value, gradient = OBJECTIVES[name](p, z)
    assert gradient[[1, 4]] @ [1, 1] == pytest.approx(
        -p[[1, 4]].sum() * (2 if name == "forward_kl at 2" else 1)
        if np.isinf(value)
        else 0
    )


def test_reverse_kl_is_infinite_where_the_target_has_zeros() -> None:
    with pytest.raises(ValueError, match="reverse KL is infinite"):
        losses.reverse_kl(*rows(8, 6, zeros=True))


def test_alpha_of_zero_has_no_logarithm() -> None:
    with pytest.raises(ValueError, match="no word in common"):
        losses.negative_log_acceptance(np.array([1.0, 0]), np.array([-np.inf, 0]))


@pytest.mark.parametrize("beta", [0, 1, -0.5, float("nan")])
def test_beta_is_between_its_ends(beta: float) -> None:
    with pytest.raises(ValueError, match="beta"):
        losses.generalised_jsd(*rows(9, 6), beta)


def test_smooth_l1_is_square_near_and_straight_far() -> None:
    target = np.zeros((2, 4))
    made = np.array([[0.5, -0.5, 0, 1], [3, -3, 0, 0]])
    value, gradient = losses.smooth_l1(target, made)
    np.testing.assert_allclose(value, [(0.125 * 2 + 0.5) / 4, 5 / 4])
    np.testing.assert_allclose(gradient * 4, np.clip(made, -1, 1))
    expected = slopes(lambda m: losses.smooth_l1(target, m).value, made + 0.1)
    moved = losses.smooth_l1(target, made + 0.1).gradient
    np.testing.assert_allclose(moved, expected, atol=1e-6)


def in_torch(torch: Any) -> dict[str, Callable[[Any, Any], Any]]:
    functional = torch.nn.functional

    def kl(a: Any, log_a: Any, log_b: Any) -> Any:
        return (a * (log_a - log_b)).sum(-1)

    def forward(p: Any, z: Any, t: float = 1.0) -> Any:
        log_q = (z / t).log_softmax(-1)
        return t * t * functional.kl_div(log_q, p, reduction="none").sum(-1)

    def reverse(p: Any, z: Any, t: float = 1.0) -> Any:
        log_q = (z / t).log_softmax(-1)
        return t * t * kl(log_q.exp(), log_q, p.log())

    def jsd(p: Any, z: Any, beta: float = 0.5) -> Any:
        q = z.softmax(-1)
        m = beta * p + (1 - beta) * q
        return beta * kl(p, p.log(), m.log()) + (1 - beta) * kl(q, q.log(), m.log())

    def alpha(p: Any, z: Any) -> Any:
        return torch.minimum(p, z.softmax(-1)).sum(-1)

    return {
        "cross_entropy": lambda p, z: functional.cross_entropy(
            z.flatten(0, -2), p.flatten(0, -2), reduction="none"
        ).view(z.shape[:-1]),
        "forward_kl": forward,
        "forward_kl at 2": lambda p, z: forward(p, z, 2.0),
        "reverse_kl": reverse,
        "reverse_kl at 0.7": lambda p, z: reverse(p, z, 0.7),
        "generalised_jsd": jsd,
        "generalised_jsd at 0.1": lambda p, z: jsd(p, z, 0.1),
        "total_variation": lambda p, z: (p - z.softmax(-1)).abs().sum(-1) / 2,
        "negative_log_acceptance": lambda p, z: -alpha(p, z).log(),
    }


@pytest.mark.torch
def test_autograd_agrees(name: str) -> None:
    torch = pytest.importorskip("torch")
    p, z = rows(10, 3, 5, 11)
    leaf = torch.tensor(z, requires_grad=True)
    value = in_torch(torch)[name](torch.tensor(p), leaf)
    value.sum().backward()
    ours = OBJECTIVES[name](p, z)
    np.testing.assert_allclose(ours.value, value.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(ours.gradient, leaf.grad.numpy(), atol=1e-12)


@pytest.mark.torch
def test_autograd_agrees_on_smooth_l1() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(11)
    target, made = 2 * rng.standard_normal((2, 4, 6))
    leaf = torch.tensor(made, requires_grad=True)
    value = torch.nn.functional.smooth_l1_loss(
        leaf, torch.tensor(target), reduction="none"
    ).mean(-1)
    value.sum().backward()
    ours = losses.smooth_l1(target, made)
    np.testing.assert_allclose(ours.value, value.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(ours.gradient, leaf.grad.numpy(), atol=1e-12)
