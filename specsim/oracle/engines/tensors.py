"""Rows of probabilities as the tensors, and the models, that public functions take."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]


def probs(rows: Array) -> torch.Tensor:
    """Rows (N, V) in 32-bit floats."""
    return torch.from_numpy(rows.astype(np.float32))


def logits(rows: Array) -> torch.Tensor:
    """The logarithms of rows (N, V) in 32-bit floats."""
    with np.errstate(divide="ignore"):
        return torch.from_numpy(np.log(rows).astype(np.float32))


class Model:
    """A causal language model whose logits at position i are those of row i.

    model(ids) with ids (1, T) gives logits (1, T, V), and .logits of the same; beyond
    the last row it repeats that.
    """

    device = torch.device("cpu")

    def __init__(self, rows: Array):
        self.rows = logits(rows)

    def __call__(self, ids: torch.Tensor, *_: Any, **__: Any) -> Any:
        at = torch.arange(ids.shape[-1]).clamp(max=len(self.rows) - 1)
        return SimpleNamespace(logits=self.rows[at][None].clone(), past_key_values=None)


def block(tokens: Array, kept: Any, last: Any) -> list[int]:
    """The first `kept` drafted tokens, and the one after them."""
    return [*map(int, tokens[: int(kept)]), int(last)]
