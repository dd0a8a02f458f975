"""The target as training sees it: frozen, in torch."""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch
from torch import Tensor

from specsim import seam
from specsim.pretrained import Pretrained
from specsim.training.options import Options
from specsim.weights import Array

PROMPT = 16
"""Tokens that the target is given to go on from, or half a window if that is less."""
SIDE_BY_SIDE = 64


def tensors(arrays: Mapping[str, Array], device: str = "cpu") -> dict[str, Tensor]:
    """The same, in torch."""
    return {k: torch.as_tensor(array, device=device) for k, array in arrays.items()}


class Base:
    """A target that reads, and writes, and does not learn."""

    def __init__(self, target: Pretrained, device: str):
        self.config, self.device = target.config, device
        self.weights = tensors(target.arrays, device)
        self._read = seam.gpu("train.causal").read

    @property
    def head(self) -> Tensor:
        """The matrix (V, D) that logits come from."""
        model = seam.gpu("model.transformer")
        name = model.EMBEDDING if self.config.tied else model.HEAD
        return self.weights[f"{name}.weight"]

    def read(self, tokens: Tensor) -> Any:
        """Logits and hidden states of texts (B, n)."""
        return self._read(self.config, self.weights, tokens)

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
