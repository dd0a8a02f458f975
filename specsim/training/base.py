"""The target as training sees it: frozen, in torch."""

from collections.abc import Mapping
from functools import partial
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from specsim import seam
from specsim.pretrained import Pretrained
from specsim.training.memory import Memory, Read
from specsim.training.options import Options
from specsim.weights import Array

PROMPT = 16
"""Tokens that the target is given to go on from, or half a window if that is less."""
SIDE_BY_SIDE = 64


def tensors(arrays: Mapping[str, Array], device: str = "cpu") -> dict[str, Tensor]:
    """The same, in torch."""
    return {k: torch.as_tensor(array, device=device) for k, array in arrays.items()}


class Base:
    """A target that reads, and writes, and does not learn.

    memory: of what it has read; None: it reads everything each time.
    """

    def __init__(self, target: Pretrained, device: str, memory: Memory | None = None):
        self.config, self.device = target.config, device
        self.weights = tensors(target.arrays, device)
        causal = seam.gpu("train.causal")
        self._features: Read = partial(causal.features, self.config, self.weights)
        self._memory = memory

    @property
    def head(self) -> Tensor:
        """The matrix (V, D) that logits come from."""
        model = seam.gpu("model.transformer")
        name = model.EMBEDDING if self.config.tied else model.HEAD
        return self.weights[f"{name}.weight"]

    @torch.no_grad()
    def hidden(self, tokens: Tensor, foretold: int = 0) -> Tensor:
        """Hidden states of texts (B, n), but for the last `foretold` places."""
        places = tokens.shape[1] - foretold
        if self._memory is None:
            return self._features(tokens[:, :places])
        return self._memory.hidden(self._features, tokens)[:, :places]

    def logits(self, hidden: Tensor) -> Tensor:
        """What its head makes of hidden states (..., D): (..., V)."""
        return linear(hidden, self.head)

    def written(self, text: Tensor, options: Options) -> Tensor:
        """At least `options.sampled` tokens, in pieces of a window that begin as the
        text does somewhere; drawn at the temperature of the options.
        """
        size = SIDE_BY_SIDE, options.length
        model = seam.gpu("model.transformer").Transformer(
            self.config, self.weights, *size, device=self.device
        )
        write, pieces = seam.gpu("train.writing").written, []
        for first in range(0, options.sampled, prod(size)):
            chance = seam.gpu("train.luck").luck("written", options.seed, first)
            prompts = self._beginnings(text, options.length, chance)
            model.clear()
            left = options.length - prompts.shape[1]
            made = write(model, prompts, left, chance, options.temperature)
            pieces.append(made.flatten().to(text))
        return torch.cat(pieces)

    def _beginnings(self, text: Tensor, length: int, chance: Any) -> Tensor:
        given = min(PROMPT, length // 2)
        size = SIDE_BY_SIDE, 1
        starts = torch.randint(len(text) - given, size, generator=chance)
        return text[starts + torch.arange(given)].long().to(self.device)
