"""Hugging Face transformers' own `_speculative_sampling`, behind the contract.

`specsim check specsim.oracle.engines.transformers:verify` judges the function that the
installed package runs, on CPU and in 32-bit floats: its uniforms are written, and the
weights it hands to `torch.multinomial` are drawn from by inverse CDF.
"""

from typing import Any
from unittest import mock

import numpy as np
import torch
from transformers.generation import utils

Array = np.ndarray[Any, Any]

torch.set_num_threads(1)  # rows of a few tokens: threads only wait for each other


def verify(
    p: Array, q: Array, tokens: Array, *, accept: Array, sample: Array
) -> list[int]:
    """One block. Coins: accept for all drafted tokens, then sample where it ends."""
    drawn: list[Array] = []
    multinomial = torch.multinomial

    def written(like: torch.Tensor) -> torch.Tensor:
        return torch.tensor(accept, dtype=like.dtype).reshape(like.shape)

    def record(weights: torch.Tensor, num_samples: int) -> torch.Tensor:
        drawn.append(weights[0].double().numpy())
        return multinomial(weights, num_samples)  # it refuses what it would refuse

    with (
        mock.patch.object(torch, "rand_like", written),
        mock.patch.object(torch, "multinomial", record),
    ):
        _, kept = utils._speculative_sampling(
            torch.tensor(tokens)[None], logits(q), len(tokens), logits(p)
        )
    cdf = np.cumsum(drawn[0])
    last = np.searchsorted(cdf, sample[kept] * cdf[-1], side="right")
    return [*map(int, tokens[:kept]), int(last)]


def logits(rows: Array) -> torch.Tensor:
    """Rows of probabilities (N, V) as a batch of one of 32-bit logits."""
    with np.errstate(divide="ignore"):
        return torch.tensor(np.log(rows), dtype=torch.float32)[None]
