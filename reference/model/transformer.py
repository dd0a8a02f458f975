"""A decoder-only transformer of the Llama family: Llama, Qwen2, Qwen3.

Touvron et al. 2023, https://arxiv.org/abs/2302.13971. The weights are a mapping of
arrays under the names Hugging Face gives them.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from . import layers
from .config import Config
from .layers import Array, Shapes, Stack, Weights, rms_norm
from .linear import Linear

EMBEDDING, NORM, HEAD = (
    "model.embed_tokens.weight",
    "model.norm.weight",
    "lm_head.weight",
)


def _prefixes(config: Config) -> list[str]:
    return [f"model.layers.{i}." for i in range(config.layers)]


def shapes(config: Config) -> Shapes:
    """The weights the model needs."""
    made: Shapes = {
        EMBEDDING: (config.vocab, config.hidden),
        NORM: (config.hidden,),
    }
    for prefix in _prefixes(config):
        made |= layers.shapes(config, prefix)
    return made if config.tied else made | {HEAD: (config.vocab, config.hidden)}


class Transformer:
    """Logits and hidden states of a tree of tokens, on top of those that are kept.

    Hidden states are what the head reads: the last layer's, normed. With nothing kept
    the root's are zeros, and so are its logits: all tokens are equally likely.
    """

    def __init__(self, config: Config, weights: Weights):
        self.config, self._embedding = config, weights[EMBEDDING]
        self._norm = weights[NORM]
        self._head = Linear(weights[EMBEDDING if config.tied else HEAD])
        self._stack = Stack(config, weights, _prefixes(config))
        self.clear()

    def clear(self) -> None:
        """Forget everything: a new text begins."""
        self._stack.clear()
        hidden = np.zeros((1, self.config.hidden), self._embedding.dtype)
        self._nodes = [(self.logits(hidden)[0], hidden[0])]

    def fresh(self) -> "Transformer":
        """The same weights, for another text beside this one."""
        other = copy(self)
        other._stack = self._stack.fresh()
        other.clear()
        return other

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Array, Array]:
        """Logits (n + 1, V) and hidden states (n + 1, D): the root's, then n nodes'.

        Calls before a `keep` grow one tree: parents count its nodes from the first.
        ValueError: a token outside the vocabulary, a parent that is not an older node.
        """
        x = self._stack.extend(self.embed(tokens), parents)
        hidden = rms_norm(x, self._norm, self.config.eps)
        logits = self.logits(hidden)
        self._nodes += zip(logits, hidden, strict=True)
        root = self._nodes[0]
        return np.vstack([root[0], logits]), np.vstack([root[1], hidden])

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self._stack.keep(path)
        self._nodes = [self._nodes[path[-1] + 1 if path else 0]]

    def embed(self, tokens: Sequence[int]) -> Array:
        """The embeddings (n, D). ValueError: a token outside the vocabulary."""
        for token in tokens:
            if not 0 <= token < self.config.vocab:
                raise ValueError(f"token {token} is not in [0, {self.config.vocab})")
        return self._embedding[np.asarray(tokens, dtype=np.intp)]

    def logits(self, hidden: Array) -> Array:
        """What the head makes of hidden states (n, D): (n, V)."""
        return self._head(hidden)

    def head(self, words: Array) -> Array:
        """The rows of the head that belong to some words, (n, D)."""
        return self._head.rows(words)
