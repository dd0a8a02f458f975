"""One request of a batched model, spoken to in lists and answered in NumPy arrays."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .config import Config
from .layers import Weights
from .transformer import Transformer

SLOTS = 512
"""Tokens that there is room for at first, trees included; then twice as many."""


class Alone:
    """A network as reference/model/transformer is one, computed here."""

    def __init__(self, model: Transformer):
        self.model, self.config = model, model.config

    def clear(self) -> None:
        """Forget everything: a new text begins."""
        self.model.clear()

    def fresh(self) -> "Alone":
        """The same weights, for another text beside this one."""
        return Alone(self.model.fresh())

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], parents: Sequence[int]) -> tuple[Any, Any]:
        """Logits (n + 1, V) and hidden states (n + 1, D): the root's, then n nodes'.

        ValueError: a token outside the vocabulary.
        """
        self._check(tokens)
        cache = self.model.cache
        used = int(cache.kept.max()) + cache.parents.shape[1] + len(tokens)
        if used > cache.slots:
            cache.widen(2 * used)
        logits, hidden = self.model.extend(self._row(tokens), self._row(parents))
        return _array(logits[0]), _array(hidden[0])

    @torch.inference_mode()
    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self.model.keep(self._row(path))

    @torch.inference_mode()
    def embed(self, tokens: Sequence[int]) -> Any:
        """The embeddings (n, D). ValueError: a token outside the vocabulary."""
        self._check(tokens)
        return _array(self.model.embedding[self._row(tokens)[0]])

    @torch.inference_mode()
    def logits(self, hidden: Any) -> Any:
        """What the head makes of hidden states (n, D): (n, V)."""
        like = self.model.embedding
        return _array(self.model.logits(torch.as_tensor(hidden).to(like)))

    @torch.inference_mode()
    def head(self, words: Any) -> Any:
        """The rows of the head that belong to some words, (n, D)."""
        place = self.model.embedding.device
        return _array(self.model.head(torch.as_tensor(words, device=place)))

    def _row(self, numbers: Sequence[int]) -> Tensor:
        place = self.model.embedding.device
        return torch.tensor([[*numbers]], dtype=torch.long, device=place)

    def _check(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            if not 0 <= token < self.config.vocab:
                raise ValueError(f"token {token} is not in [0, {self.config.vocab})")


def alone(
    config: Config,
    weights: Weights,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Alone:
    """The model of these weights, for one request; on a GPU if there is one."""
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return Alone(Transformer(config, weights, 1, SLOTS, dtype, device))


def _array(tensor: Tensor) -> Any:
    """Half precisions, which NumPy lacks, as float32."""
    wide = torch.promote_types(tensor.dtype, torch.float32)
    return tensor.to(wide).cpu().numpy()
