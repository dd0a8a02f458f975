"""A decoder-only transformer of the Llama family: reference/model/transformer, batched.

B requests side by side, each with its own context and its own tree. Trees are padded to
the largest with tokens -1, which nothing descends from.
"""

from copy import copy
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import linear, pad, rms_norm

from .cache import Cache
from .config import Config
from .layers import Layer, Weights
from .rotary import turn

EMBEDDING, HEAD, NORM = "model.embed_tokens", "lm_head", "model.norm"


class Transformer:
    """Logits and hidden states of trees of tokens, on top of those that are kept.

    Hidden states are what the head reads: the last layer's, normed. With nothing kept
    the root's are zeros, and so are its logits.

    batch: how many requests. slots: the most tokens each may hold, its tree included.
    """

    def __init__(
        self,
        config: Config,
        weights: Weights,
        batch: int,
        slots: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ):
        place = torch.device(device)
        held = {k: torch.as_tensor(w).to(place, dtype) for k, w in weights.items()}
        self.config = config
        self.embedding = held[f"{EMBEDDING}.weight"]
        self._head = held[f"{EMBEDDING if config.tied else HEAD}.weight"]
        self._norm = held[f"{NORM}.weight"]
        self._layers = [
            Layer(config, held, f"model.layers.{i}.") for i in range(config.layers)
        ]
        self.cache = Cache(config, config.layers, batch, slots, dtype, place)
        self._request = torch.arange(batch, device=place)
        self.clear()

    def clear(self) -> None:
        """Forget everything: new texts begin."""
        self.cache.clear()
        batch = len(self._request)
        self._hidden = self.embedding.new_zeros(batch, 1, self.config.hidden)
        self._logits = self.logits(self._hidden)

    def fresh(self) -> "Transformer":
        """The same weights, for other texts beside these."""
        other = copy(self)
        other.cache = self.cache.fresh()
        other.clear()
        return other

    def extend(self, tokens: Tensor, parents: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, n + 1, V) and hidden states (B, n + 1, D): roots', then nodes'.

        tokens, parents: (B, n), padded with -1. Calls before a `keep` grow the trees:
        parents count their nodes from the first. ValueError: there are no slots left.
        """
        if not tokens.shape[1]:
            return self._logits[:, :1], self._hidden[:, :1]
        positions, seen = self.cache.grow(parents)
        x = self.embedding[tokens.clamp(min=0)]
        by = turn(self.config, positions, x.dtype)
        for i, layer in enumerate(self._layers):
            x = layer(x, by, seen, partial(self.cache.put, i))
        hidden = rms_norm(x, self._norm.shape, self._norm, self.config.eps)
        logits = self.logits(hidden)
        self._hidden = torch.cat([self._hidden, hidden], 1)
        self._logits = torch.cat([self._logits, logits], 1)
        return (
            torch.cat([self._logits[:, :1], logits], 1),
            torch.cat([self._hidden[:, :1], hidden], 1),
        )

    def keep(self, path: Tensor) -> None:
        """The nodes of `path` (B, d), root first, padded with -1, become context."""
        self.cache.keep(path)
        root = pad(path, (1, 0), value=-1).max(1).values + 1
        self._hidden = self._hidden[self._request, root][:, None]
        self._logits = self._logits[self._request, root][:, None]

    def logits(self, hidden: Tensor) -> Tensor:
        """What the head makes of hidden states (..., D): (..., V)."""
        return linear(hidden, self._head)

    def head(self, words: Tensor) -> Tensor:
        """The rows of the head that belong to some words, (n, D)."""
        return self._head[words]
