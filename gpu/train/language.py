"""Foretelling the next token: for a target, or a draft before it is distilled."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from ..model.config import Config
from .causal import Weights, read


def loss(config: Config, weights: Weights, tokens: Tensor) -> Tensor:
    """The mean cross-entropy, in nats, of texts (B, n + 1) after their first tokens."""
    logits = read(config, weights, tokens[:, :-1]).logits
    return cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
