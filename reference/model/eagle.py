"""EAGLE-1: one decoder layer that foretells the target's next hidden state.

Li, Wei, Zhang and Zhang 2024, EAGLE: Speculative Sampling Requires Rethinking Feature
Uncertainty. https://arxiv.org/abs/2401.15077
"""

from dataclasses import replace

import numpy as np

from . import layers
from .config import Config
from .feature import FeatureDraft
from .layers import Array, Shapes, Stack, Weights
from .linear import Linear
from .reduced import Vocabulary
from .transformer import Transformer

LAYER = "layers.0."


def _layer(config: Config) -> Config:
    """The draft's layer is the target's, but reads its input as it is."""
    return replace(config, input_norm=False)


def shapes(config: Config) -> Shapes:
    """The weights of a draft for a target of this shape, by their published names."""
    made = layers.shapes(_layer(config), LAYER)
    width = config.hidden
    return made | {"fc.weight": (width, 2 * width), "fc.bias": (width,)}


def eagle(
    weights: Weights, target: Transformer, vocabulary: Vocabulary | None = None
) -> FeatureDraft:
    """The draft, between the embedding and the frozen head of `target`.

    The features it reads and makes are those the head reads. vocabulary: of the words
    it drafts, if those are not all.
    """
    merge, bias = Linear(weights["fc.weight"]), weights["fc.bias"]

    def mix(embeddings: Array, features: Array) -> Array:
        merged: Array = merge(np.hstack([embeddings, features])) + bias
        return merged

    stack = Stack(_layer(target.config), weights, [LAYER])
    return FeatureDraft(target, stack, mix, lambda features: features, vocabulary)
