"""Medusa: heads on the target's last hidden state, each for a token further ahead.

Cai et al. 2024, Medusa: Simple LLM Inference Acceleration Framework with Multiple
Decoding Heads. https://arxiv.org/abs/2401.10774
"""

import numpy as np

from ..logits import softmax
from .config import Config
from .layers import Array, Shapes, Weights, silu
from .linear import Linear
from .reduced import Vocabulary


def _names(head: int) -> tuple[str, str, str]:
    return f"{head}.0.linear.weight", f"{head}.0.linear.bias", f"{head}.1.weight"


def shapes(config: Config, heads: int, words: int | None = None) -> Shapes:
    """The weights of `heads` heads, of one residual block each, by published names.

    words: how many a head knows; None: all of the target's.
    """
    width = config.hidden
    each = (width, width), (width,), (words or config.vocab, width)
    return {
        name: shape
        for head in range(heads)
        for name, shape in zip(_names(head), each, strict=True)
    }


class Medusa:
    """Head k reads h as h + SiLU(W h + b), for the token k + 2 places after h's.

    The token right after is the model's own head's. Given h, what the heads say is
    independent of one another and of the tokens drafted. vocabulary: the words that
    heads know, if those are not all.
    """

    def __init__(self, weights: Weights, vocabulary: Vocabulary | None = None):
        self._vocabulary = vocabulary
        heads = range(sum(name.endswith("linear.bias") for name in weights))
        self._heads = [
            (Linear(weights[inner]), weights[bias], Linear(weights[outer]))
            for inner, bias, outer in map(_names, heads)
        ]

    def logits(self, hidden: Array) -> Array:
        """What each head makes of hidden states (n, D): (heads, n, V), or of so many
        words as heads know.
        """
        return np.array(
            [
                outer(hidden + silu(inner(hidden) + bias))
                for inner, bias, outer in self._heads
            ]
        )

    def rows(self, hidden: Array) -> Array:
        """What each head finds likely after one hidden state (D,): (heads, V)."""
        rows = softmax(self.logits(hidden[None])[:, 0])
        return self._vocabulary.spread(rows) if self._vocabulary else rows
