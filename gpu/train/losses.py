"""What drafters are trained on: the twin of reference/losses, by autograd.

Each takes the logarithms of the target's rows log_p (..., V) and the draft's logits z
(..., V), and gives the value (...) at every position. Infinite values are what they
are: the loop refuses them.
"""

from collections.abc import Callable
from math import log

import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

LOWEST = -1e30
"""Stands for the logarithm of zero where two such are added up."""


def cross_entropy(log_p: Tensor, z: Tensor) -> Tensor:
    """-sum p log q."""
    return -_mean(log_p.exp(), z.log_softmax(-1))


def forward_kl(log_p: Tensor, z: Tensor) -> Tensor:
    """KL(p | q) where q = softmax(z)."""
    return _mean(log_p.exp(), log_p - z.log_softmax(-1))


def reverse_kl(log_p: Tensor, z: Tensor) -> Tensor:
    """KL(q | p)."""
    log_q = z.log_softmax(-1)
    return _mean(log_q.exp(), log_q - log_p)


def generalised_jsd(log_p: Tensor, z: Tensor, beta: float = 0.5) -> Tensor:
    """Beta KL(p | m) + (1 - beta) KL(q | m) where m = beta p + (1 - beta) q."""
    log_p, log_q = log_p.clamp(min=LOWEST), z.log_softmax(-1).clamp(min=LOWEST)
    log_m = torch.logaddexp(log(beta) + log_p, log(1 - beta) + log_q)
    of_p, of_q = _mean(log_p.exp(), log_p - log_m), _mean(log_q.exp(), log_q - log_m)
    return beta * of_p + (1 - beta) * of_q


def total_variation(log_p: Tensor, z: Tensor) -> Tensor:
    """Half of sum |p - q|, which is 1 - alpha: what a chain rule rejects."""
    return (log_p.exp() - z.softmax(-1)).abs().sum(-1) / 2


def negative_log_acceptance(log_p: Tensor, z: Tensor) -> Tensor:
    """-log alpha, whose gradient does not fade where alpha is tiny."""
    return -torch.minimum(log_p, z.log_softmax(-1)).logsumexp(-1)


def smooth_l1(features: Tensor, made: Tensor) -> Tensor:
    """The mean over (..., D) of d^2 / 2 where |d| < 1 and |d| - 1/2 elsewhere."""
    return smooth_l1_loss(made, features, reduction="none").mean(-1)


DIVERGENCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "forward-kl": forward_kl,
    "reverse-kl": reverse_kl,
    "jsd": generalised_jsd,
    "total-variation": total_variation,
    "acceptance": negative_log_acceptance,
}


def _mean(weights: Tensor, values: Tensor) -> Tensor:
    """The sum of weights * values over the words that have some weight."""
    return (weights * values.where(weights > 0, 0.0)).sum(-1)
