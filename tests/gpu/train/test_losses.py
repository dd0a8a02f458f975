"""Values and gradients of the twin are those of reference/losses."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference import losses
from reference.logits import softmax
from reference.probs import Probs
from specsim import seam
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
ours = seam.gpu("train.losses")
distill = seam.gpu("train.distill")
REFERENCES: dict[str, Any] = {
    "forward-kl": losses.forward_kl,
    "reverse-kl": losses.reverse_kl,
    "jsd": losses.generalised_jsd,
    "total-variation": losses.total_variation,
    "acceptance": losses.negative_log_acceptance,
}
TEMPERED = "forward-kl", "reverse-kl"


def both(p: Probs, z: Probs, divergence: Any) -> tuple[Any, Any]:
    """The twin's values, and the gradient of their sum."""
    leaf = torch.tensor(z, requires_grad=True)
    with np.errstate(divide="ignore"):
        value = divergence(torch.tensor(np.log(p)), leaf)
    value.sum().backward()
    return value.detach().numpy(), leaf.grad.numpy()


def rows(seed: int, zeros: bool = False, missing: bool = False) -> tuple[Probs, Probs]:
    """Target rows, some of whose words are impossible, and logits that lack words."""
    rng = np.random.default_rng(seed)
    p, z = (
        softmax(2 * rng.standard_normal((2, 3, 9))),
        2 * rng.standard_normal((2, 3, 9)),
    )
    if zeros:
        p[..., ::4] = 0
        p /= p.sum(-1, keepdims=True)
    if missing:
        z[..., 2:6:2] = -np.inf
    return p, z


def test_every_divergence_has_its_reference() -> None:
    assert REFERENCES.keys() == ours.DIVERGENCES.keys()


@pytest.mark.parametrize("name", REFERENCES)
@given(seed=st.integers(0, 20), zeros=st.booleans(), missing=st.booleans())
def test_the_twin_agrees(name: str, seed: int, zeros: bool, missing: bool) -> None:
    if (name == "reverse-kl" and zeros) or (name == "forward-kl" and missing):
        return
    p, z = rows(seed, zeros, missing)
    value, gradient = both(p, z, ours.DIVERGENCES[name])
    expected = REFERENCES[name](p, z)
    np.testing.assert_allclose(value, expected.value, atol=1e-12)
    np.testing.assert_allclose(gradient, expected.gradient, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "zeros"), [("reverse-kl", True), ("forward-kl", False)]
)
def test_what_is_infinite_is_infinite(name: str, zeros: bool) -> None:
    """The loop refuses it; a large number in its place would pass."""
    p, z = rows(1, zeros, not zeros)
    value, _ = both(p, z, ours.DIVERGENCES[name])
    assert np.isposinf(value).all()


def test_cross_entropy_and_features_agree() -> None:
    p, z = rows(2)
    value, gradient = both(p, z, ours.cross_entropy)
    expected = losses.cross_entropy(p, z)
    np.testing.assert_allclose(value, expected.value, atol=1e-12)
    np.testing.assert_allclose(gradient, expected.gradient, atol=1e-12)
    made = torch.tensor(z, requires_grad=True)
    distance = ours.smooth_l1(torch.tensor(p), made)
    distance.sum().backward()
    feature = losses.smooth_l1(p, z)
    np.testing.assert_allclose(distance.detach(), feature.value, atol=1e-12)
    np.testing.assert_allclose(made.grad, feature.gradient, atol=1e-12)


@pytest.mark.parametrize("beta", [0.1, 0.8])
def test_the_divergences_of_jensen_and_shannon_agree(beta: float) -> None:
    p, z = rows(4, zeros=True, missing=True)
    value, gradient = both(p, z, lambda p, z: ours.generalised_jsd(p, z, beta))
    expected = losses.generalised_jsd(p, z, beta)
    np.testing.assert_allclose(value, expected.value, atol=1e-12)
    np.testing.assert_allclose(gradient, expected.gradient, atol=1e-12)


def test_words_that_agree_count_one_half() -> None:
    p, z = np.array([0.5, 0.5, 0]), np.array([0, -np.inf, 0])
    for name in ("total-variation", "acceptance"):
        _, gradient = both(p, z, ours.DIVERGENCES[name])
        np.testing.assert_allclose(gradient, REFERENCES[name](p, z).gradient)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("temperature", [1.0, 0.7, 2.0])
def test_a_draft_is_taught_at_a_temperature(
    name: str, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T^2 times the divergence of both rows at T, whatever reads the tokens."""
    rng = np.random.default_rng(3)
    target, z = 2 * rng.standard_normal((2, 2, 3, 9))
    leaf = torch.tensor(z, requires_grad=True)
    monkeypatch.setattr(distill, "read", lambda *_: Read(leaf))
    value = distill.loss(None, {}, None, torch.tensor(target), name, temperature)
    value.backward()
    p = softmax(target, temperature)
    if name in TEMPERED:
        expected = REFERENCES[name](p, z, temperature)
        gradient = expected.gradient
        mean = expected.value.mean()
    else:
        expected = REFERENCES[name](p, z / temperature)
        gradient = temperature * expected.gradient
        mean = temperature**2 * expected.value.mean()
    np.testing.assert_allclose(value.item(), mean, atol=1e-12)
    np.testing.assert_allclose(leaf.grad, gradient / 6, atol=1e-12)


class Read:
    def __init__(self, logits: Any):
        self.logits = logits
