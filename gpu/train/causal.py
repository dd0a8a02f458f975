"""Whole texts through the layers of gpu/model at once, with gradients."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear, rms_norm

from ..model.config import Config
from ..model.layers import Layer
from ..model.rotary import turn
from ..model.transformer import EMBEDDING, HEAD, NORM
from .luck import luck

Weights = Mapping[str, Tensor]
Shapes = Mapping[str, tuple[int, ...]]
RESIDUAL = "o_proj.weight", "down_proj.weight"


class Read(NamedTuple):
    """Logits (B, n, V) of the token after each, and hidden states (B, n, D)."""

    logits: Tensor
    hidden: Tensor


def initial(shapes: Shapes, seed: int) -> dict[str, Tensor]:
    """Weights to begin with: vectors one, biases zero, matrices that keep the size.

    What is added to the residual begins at zero, and each layer as the identity.
    """
    chance = luck("initial", seed)

    def begun(name: str, shape: tuple[int, ...]) -> Tensor:
        if name.endswith(("bias", *RESIDUAL)):
            return torch.zeros(shape)
        if len(shape) == 1:
            return torch.ones(shape)
        drawn: Tensor = torch.randn(shape, generator=chance) / shape[-1] ** 0.5
        return drawn

    return {name: begun(name, shape) for name, shape in shapes.items()}


def read(config: Config, weights: Weights, tokens: Tensor) -> Read:
    """Texts (B, n) through the whole model."""
    hidden = features(config, weights, tokens)
    return Read(head(config, weights, hidden), hidden)


def features(config: Config, weights: Weights, tokens: Tensor) -> Tensor:
    """What the head reads of texts (B, n): their hidden states (B, n, D)."""
    prefixes = [f"model.layers.{i}." for i in range(config.layers)]
    x = stack(config, weights, prefixes, embed(weights, tokens))
    return rms_norm(x, x.shape[-1:], weights[f"{NORM}.weight"], config.eps)


def stack(
    config: Config, weights: Weights, prefixes: Iterable[str], x: Tensor
) -> Tensor:
    """What the layers of those name prefixes make of x (B, n, D), causally."""
    batch, n, _ = x.shape
    seen = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()[None, None]
    by = turn(config, torch.arange(n, device=x.device).expand(batch, -1), x.dtype)
    for prefix in prefixes:
        x = Layer(config, weights, prefix)(x, by, seen, _heads_first)
    return x


def embed(weights: Weights, tokens: Tensor) -> Tensor:
    """The embeddings (B, n, D)."""
    return weights[f"{EMBEDDING}.weight"][tokens]


def head(config: Config, weights: Weights, hidden: Tensor) -> Tensor:
    """What the head makes of hidden states (..., D): (..., V)."""
    return linear(hidden, weights[f"{EMBEDDING if config.tied else HEAD}.weight"])


def _heads_first(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """There is nothing to store: the text is all there is."""
    return keys.transpose(1, 2), values.transpose(1, 2)
