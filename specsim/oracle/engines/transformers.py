"""Hugging Face transformers' own `_speculative_sampling`, behind the contract.

`specsim check specsim.oracle.engines.transformers:verify` judges the function that the
installed package runs, on CPU and in 32-bit floats. Its code runs as it is; only the
`torch` that it sees hands out written uniforms, and keeps the weights that it draws the
last token from, which is then drawn by inverse CDF.
"""

from types import FunctionType
from typing import Any

import numpy as np
import torch
from transformers.generation import utils

Array = np.ndarray[Any, Any]

torch.set_num_threads(1)  # rows of a few tokens: threads only wait for each other


class Torch:
    """The torch module but for its luck."""

    def __init__(self) -> None:
        self.coins, self.weights = torch.empty(0), torch.empty(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    def rand_like(self, like: torch.Tensor) -> torch.Tensor:
        return self.coins.to(like.dtype).reshape(like.shape)

    def multinomial(self, weights: torch.Tensor, num_samples: int) -> torch.Tensor:
        self.weights = weights[0]
        return torch.multinomial(
            weights, num_samples
        )  # it refuses what it would refuse


seen = Torch()
theirs = FunctionType(
    utils._speculative_sampling.__code__,
    {**vars(utils), "torch": seen},
    argdefs=utils._speculative_sampling.__defaults__,
)


def verify(
    p: Array, q: Array, tokens: Array, *, accept: Array, sample: Array
) -> list[int]:
    """One block. Coins: accept for all drafted tokens, then sample where it ends."""
    seen.coins = torch.from_numpy(accept)
    drafted = torch.from_numpy(tokens)[None]
    _, kept = theirs(drafted, logits(q), len(tokens), logits(p))
    cdf = np.cumsum(seen.weights.double().numpy())
    last = np.searchsorted(cdf, sample[kept] * cdf[-1], side="right")
    return [*map(int, tokens[:kept]), int(last)]


def logits(rows: Array) -> torch.Tensor:
    """Rows of probabilities (N, V) as a batch of one of 32-bit logits."""
    with np.errstate(divide="ignore"):
        return torch.from_numpy(np.log(rows).astype(np.float32))[None]
