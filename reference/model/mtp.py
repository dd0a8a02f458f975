"""Multi-token prediction: a module that foretells one token further than the model.

DeepSeek-AI 2024, DeepSeek-V3 Technical Report, section 2.2, equations 21 to 23.
https://arxiv.org/abs/2412.19437
"""

import numpy as np

from . import layers
from .config import Config
from .feature import FeatureDraft
from .layers import Array, Shapes, Stack, Weights, rms_norm
from .linear import Linear
from .transformer import Transformer


def prefix(config: Config, module: int = 0) -> str:
    """What the names of a module begin with: modules are numbered on from the layers"""
    return f"model.layers.{config.layers + module}."


def shapes(config: Config, module: int = 0) -> Shapes:
    """The weights of a module for a target of this shape, by their published names."""
    width, start = config.hidden, prefix(config, module)
    vectors = "enorm", "hnorm", "shared_head.norm"
    made = layers.shapes(config, start)
    made |= {f"{start}{name}.weight": (width,) for name in vectors}
    return made | {f"{start}eh_proj.weight": (width, 2 * width)}


def mtp(weights: Weights, target: Transformer, module: int = 0) -> FeatureDraft:
    """The module, on the embedding and the head of `target`, with the target's layer.

    Its features are taken before its last norm. The published weights of the projection
    expect the embedding first, where the report writes it second.
    """
    config, start = target.config, prefix(target.config, module)

    def norm(name: str, x: Array) -> Array:
        return rms_norm(x, weights[f"{start}{name}.weight"], config.eps)

    project = Linear(weights[f"{start}eh_proj.weight"])

    def mix(embeddings: Array, features: Array) -> Array:
        both = [norm("enorm", embeddings), norm("hnorm", features)]
        return project(np.hstack(both))

    stack = Stack(config, weights, [start])
    return FeatureDraft(target, stack, mix, lambda x: norm("shared_head.norm", x))
