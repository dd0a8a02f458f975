"""Medusa heads: on a frozen target (Medusa-1), or together with it (Medusa-2).

Cai et al. 2024, Medusa: Simple LLM Inference Acceleration Framework with Multiple
Decoding Heads, section 2.2. https://arxiv.org/abs/2401.10774
"""

from math import pi, sin

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear, silu

from ..model.config import Config
from .causal import Weights, read

FADING = 0.8
"""What a head's loss counts, compared with that of the head before."""


def initial(shapes: dict[str, tuple[int, ...]], output: Tensor) -> dict[str, Tensor]:
    """Heads that say what the target's own, `output` (V, D), does."""
    return {
        name: output.clone() if name.endswith(".1.weight") else torch.zeros(shape)
        for name, shape in shapes.items()
    }


def logits(weights: Weights, hidden: Tensor) -> list[Tensor]:
    """What each head makes of hidden states (..., D): (..., V)."""
    heads = sum(name.endswith("linear.bias") for name in weights)
    made = []
    for k in range(heads):
        inner, bias = weights[f"{k}.0.linear.weight"], weights[f"{k}.0.linear.bias"]
        mixed = hidden + silu(linear(hidden, inner, bias))
        made.append(linear(mixed, weights[f"{k}.1.weight"]))
    return made


def loss(weights: Weights, hidden: Tensor, labels: Tensor) -> Tensor:
    """The sum over heads k = 1, 2, ... of 0.8^k times the mean cross-entropy.

    labels (B, n + 1): the tokens, by the numbers that heads have for them; those that
    they do not know, with labels below zero, do not count. hidden (B, n, D): the
    target's after all tokens but the last. Head k foretells the token k + 1 places
    after the one its hidden state has read.
    """
    total = hidden.new_zeros(())
    for k, made in enumerate(logits(weights, hidden), 1):
        label = labels[:, k + 1 :]
        foretold = made[:, : label.shape[1]].flatten(0, 1)
        if (label >= 0).any():
            total = total + FADING**k * cross_entropy(foretold, label.flatten())
    return total


def accuracies(
    weights: Weights, hidden: Tensor, labels: Tensor, ranks: int = 10
) -> Tensor:
    """How often the token of each rank of each head is the right one: (heads, ranks).

    labels (B, n + 1) and hidden (B, n, D) as for `loss`; unknown tokens are missed,
    and there are no more ranks than words.
    """
    shares = []
    for k, made in enumerate(logits(weights, hidden), 1):
        label = labels[:, k + 1 :, None]
        known = min(ranks, made.shape[-1])
        top = made[:, : label.shape[1]].topk(known).indices
        shares.append((top == label).double().mean((0, 1)))
    return torch.stack(shares)


def joint_loss(
    config: Config, weights: Weights, tokens: Tensor, labels: Tensor, share: float
) -> Tensor:
    """The language model's loss, and `share` times that of the heads, on one pass.

    tokens (B, n + 1); labels are what `loss` makes of them.
    """
    made = read(config, weights, tokens[:, :-1])
    own = cross_entropy(made.logits.flatten(0, 1), tokens[:, 1:].flatten())
    return own + share * loss(weights, made.hidden, labels)


def share(step: int, warmup: int, most: float = 0.2) -> float:
    """What the heads count: from nothing up to `most`, along a sine."""
    return most * sin(pi / 2 * min((step + 1) / warmup, 1.0))
