"""EAGLE-1's layer: it learns the target's next feature, and what the head makes of it.

Li, Wei, Zhang and Zhang 2024, EAGLE: Speculative Sampling Requires Rethinking Feature
Uncertainty, section 3.2. https://arxiv.org/abs/2401.15077
"""

import torch
from torch import Tensor
from torch.nn.functional import linear

from ..model.config import Config
from .causal import Read, Weights, embed, head, stack
from .losses import cross_entropy, smooth_l1

NOISE = 0.1
"""Features are read with so much uniform noise, since at work they are the draft's."""
WORDS = 0.1
"""What the cross-entropy counts, beside the distance of the features."""


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
    base: Weights,
    tokens: Tensor,
    target: Read,
    chance: torch.Generator,
) -> Tensor:
    """The mean of SmoothL1(f, f^) + 0.1 CE(head f, head f^) over the places foretold.

    layer: the target's shape, without the norm of what attention reads. base: the
    target's weights. tokens (B, n), and what the target reads in them.
    """
    hidden = target.hidden[:, :-1]
    noise = torch.rand(hidden.shape, generator=chance).to(hidden.device)
    noisy = hidden + NOISE * (2 * noise - 1)
    made = features(layer, weights, embed(base, tokens[:, 1:]), noisy)
    log_p = target.logits[:, 1:].log_softmax(-1)
    words = cross_entropy(log_p, head(layer, base, made))
    return (smooth_l1(target.hidden[:, 1:], made) + WORDS * words).mean()
