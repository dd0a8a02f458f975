"""EAGLE-1's layer: it learns the target's next feature, and what the head makes of it.

Li, Wei, Zhang and Zhang 2024, EAGLE: Speculative Sampling Requires Rethinking Feature
Uncertainty, section 3.2. https://arxiv.org/abs/2401.15077
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from ..model.config import Config
from .causal import Weights, embed, stack
from .losses import cross_entropy, smooth_l1

NOISE = 0.1
"""Features are read with so much uniform noise, since at work they are the draft's."""
WORDS = 0.1
"""What the cross-entropy counts beside the distance of the features, in the paper."""


class Ends(NamedTuple):
    """The target's weights, for its embedding, and the rows (N, D) of its head that
    belong to the words which the draft knows.
    """

    base: Weights
    head: Tensor


def features(
    layer: Config, weights: Weights, embeddings: Tensor, read: Tensor
) -> Tensor:
    """The next features (B, n, D), from these and the embeddings one place on."""
    both = torch.cat([embeddings, read], -1)
    mixed = linear(both, weights["fc.weight"], weights["fc.bias"])
    return stack(layer, weights, ["layers.0."], mixed)


def loss(
    layer: Config,
    weights: Weights,
    ends: Ends,
    tokens: Tensor,
    hidden: Tensor,
    chance: torch.Generator,
    weight: float = WORDS,
) -> Tensor:
    """The mean of SmoothL1(f, f^) + w CE(head f, head f^) over the places foretold.

    layer: the target's shape, without the norm of what attention reads. tokens (B, n),
    and the target's hidden states (B, n, D) after them. weight: w.
    """
    before = hidden[:, :-1]
    noise = torch.rand(before.shape, generator=chance).to(before.device)
    noisy = before + NOISE * (2 * noise - 1)
    made = features(layer, weights, embed(ends.base, tokens[:, 1:]), noisy)
    log_p = linear(hidden, ends.head)[:, 1:].log_softmax(-1)
    foretold = cross_entropy(log_p, linear(made, ends.head))
    return (smooth_l1(hidden[:, 1:], made) + weight * foretold).mean()
