"""A module that foretells one token further than the model does.

DeepSeek-AI 2024, DeepSeek-V3 Technical Report, section 2.2, equations 21 to 25; here on
a target that is frozen. https://arxiv.org/abs/2412.19437
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear, rms_norm

from ..model.config import Config
from .causal import Weights, embed, head, stack


def logits(
    config: Config, weights: Weights, base: Weights, tokens: Tensor, hidden: Tensor
) -> Tensor:
    """Of the token after each of `tokens` (B, n), read with the hidden states before.

    weights: of the module, whose layer is numbered on from the target's. base: the
    target's.
    """
    start = f"model.layers.{config.layers}."

    def norm(name: str, x: Tensor) -> Tensor:
        return rms_norm(x, x.shape[-1:], weights[f"{start}{name}.weight"], config.eps)

    both = [norm("enorm", embed(base, tokens)), norm("hnorm", hidden)]
    mixed = linear(torch.cat(both, -1), weights[f"{start}eh_proj.weight"])
    made = stack(config, weights, [start], mixed)
    return head(config, base, norm("shared_head.norm", made))


def loss(
    config: Config, weights: Weights, base: Weights, tokens: Tensor, hidden: Tensor
) -> Tensor:
    """The mean cross-entropy of the token after next.

    tokens (B, n + 1), hidden (B, n, D) the target's after all but the last of them.
    """
    made = logits(config, weights, base, tokens[:, 1:-1], hidden[:, :-1])
    return cross_entropy(made.flatten(0, 1), tokens[:, 2:].flatten())
