"""What drafts are trained on: objectives and their gradients, in closed form.

Each takes the target's rows p (..., V) and the draft's logits z (..., V), and gives the
value (...) at every position and the gradient (..., V) with respect to z, in float64.
With A the words on which q = softmax(z) falls short of p, alpha = sum min(p, q) moves
by q (1_A - q(A)); words on which the two agree count one half. Entries of -inf in z are
words the draft does not have.

DistillSpec, Zhou et al. 2023, https://arxiv.org/abs/2310.08461 (divergences, TV);
generalised knowledge distillation, Agarwal et al. 2023,
https://arxiv.org/abs/2306.13649 (generalised JSD); Hinton, Vinyals and Dean 2015,
https://arxiv.org/abs/1503.02531 (temperature).
"""

from typing import NamedTuple

import numpy as np

from .logits import temper
from .probs import Probs


class Loss(NamedTuple):
    """Values (...) and their gradients with respect to the draft's outputs."""

    value: Probs
    gradient: Probs


def cross_entropy(p: Probs, z: Probs) -> Loss:
    """-sum p log q; for labels, p is one-hot."""
    log_q = _log_softmax(z)
    return Loss(-_mean(p, log_q), np.exp(log_q) - p)


def forward_kl(p: Probs, z: Probs, temperature: float = 1.0) -> Loss:
    """T^2 KL(p | q) where q = softmax(z / T), and p is the target's row at T."""
    log_q = _log_softmax(z, temperature)
    value = _mean(p, _difference(_log(p), log_q))
    return Loss(temperature**2 * value, temperature * (np.exp(log_q) - p))


def reverse_kl(p: Probs, z: Probs, temperature: float = 1.0) -> Loss:
    """T^2 KL(q | p) where q = softmax(z / T), and p is the target's row at T.

    ValueError: p is zero where q is not, and the divergence infinite.
    """
    log_q = _log_softmax(z, temperature)
    q = np.exp(log_q)
    if (p[q > 0] == 0).any():
        raise ValueError("reverse KL is infinite: p is 0 where q is not")
    surplus = _difference(log_q, _log(p))
    value = temperature**2 * _mean(q, surplus)
    return Loss(value, temperature * _through_softmax(q, surplus))


def generalised_jsd(p: Probs, z: Probs, beta: float = 0.5) -> Loss:
    """Beta KL(p | m) + (1 - beta) KL(q | m) where m = beta p + (1 - beta) q.

    ValueError: beta is not inside (0, 1), at whose ends it vanishes.
    """
    if not 0 < beta < 1:
        raise ValueError(f"beta = {beta}: must be in (0, 1)")
    log_p, log_q = _log(p), _log_softmax(z)
    q = np.exp(log_q)
    log_m = np.logaddexp(np.log(beta) + log_p, np.log(1 - beta) + log_q)
    surplus = (1 - beta) * _difference(log_q, log_m)
    value = beta * _mean(p, _difference(log_p, log_m)) + _mean(q, surplus)
    return Loss(value, _through_softmax(q, surplus))


def total_variation(p: Probs, z: Probs) -> Loss:
    """Half of sum |p - q|, which is 1 - alpha: what a chain rule rejects."""
    q = np.exp(_log_softmax(z))
    value = np.abs(p - q).sum(-1) / 2
    return Loss(value, _through_softmax(q, np.sign(q - p) / 2))


def negative_log_acceptance(p: Probs, z: Probs) -> Loss:
    """-log alpha, whose gradient does not fade where alpha is tiny.

    LK Losses, Samarin et al. 2026, https://arxiv.org/abs/2602.23881. ValueError: alpha
    is zero, which takes words the draft does not have.
    """
    log_p, log_q = _log(p), _log_softmax(z)
    overlap = np.minimum(log_p, log_q)
    log_alpha = np.logaddexp.reduce(overlap, axis=-1)
    if (log_alpha == -np.inf).any():
        raise ValueError("-log alpha is infinite: p and q have no word in common")
    lower = (1 - np.sign(_difference(log_q, log_p))) / 2
    short = np.exp(overlap - log_alpha[..., None]) * lower
    return Loss(-log_alpha, np.exp(log_q) * short.sum(-1, keepdims=True) - short)


def smooth_l1(features: Probs, made: Probs) -> Loss:
    """The mean over (..., D) of d^2 / 2 where |d| < 1 and |d| - 1/2 elsewhere.

    d = made - features; the gradient (..., D) is with respect to `made`. EAGLE, Li et
    al. 2024, https://arxiv.org/abs/2401.15077.
    """
    d = np.asarray(made, dtype=np.float64) - features
    near = np.clip(d, -1, 1)
    return Loss((near * (d - near / 2)).mean(-1), near / d.shape[-1])


def _log_softmax(z: Probs, temperature: float = 1.0) -> Probs:
    z = temper(z, temperature)
    log_q: Probs = z - np.logaddexp.reduce(z, axis=-1, keepdims=True)
    return log_q


def _log(p: Probs) -> Probs:
    with np.errstate(divide="ignore"):
        log_p: Probs = np.log(p)
    return log_p


def _difference(a: Probs, b: Probs) -> Probs:
    """A - b, zero where both are -inf."""
    return np.subtract(a, b, out=np.zeros_like(b), where=(a > -np.inf) | (b > -np.inf))


def _mean(weights: Probs, values: Probs) -> Probs:
    """The sum of weights * values over the words that have some weight."""
    mean: Probs = (weights * np.where(weights > 0, values, 0)).sum(-1)
    return mean


def _through_softmax(q: Probs, slope: Probs) -> Probs:
    """The gradient with respect to z, from that with respect to q."""
    slope = np.where(q > 0, slope, 0)
    pulled: Probs = q * (slope - _mean(q, slope)[..., None])
    return pulled
