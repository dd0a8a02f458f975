"""Typical acceptance on trees: the twin of reference/verify/typical."""

from math import sqrt

import torch
from torch import Tensor

from ..batch import Batch, batched
from ..rows import argmax, empty, entropy, select
from ..verified import Verified, emit


@batched(reads_q=False)
def verify(batch: Batch, *, eps: float = 0.3, delta: float | None = None) -> Verified:
    """Keep the first of the longest paths of typical tokens; then the likeliest.

    Parents come before their children, so one pass over the nodes finds every path.
    """
    scale = sqrt(eps) if delta is None else delta
    floor = (scale * torch.exp(-entropy(batch.p))).clamp(max=eps)
    request = torch.arange(len(floor), device=floor.device)[:, None]
    above = batch.parents + 1
    typical = batch.p[request, above, batch.tokens] > floor[request, above]
    end = _deepest(batch.drafted & typical, above)
    row = select(batch.p, end)
    kept = _path(end, above)
    return emit(batch.tokens, kept, argmax(row), batch.faulty | empty(row))


def _deepest(fine: Tensor, above: Tensor) -> Tensor:
    """The first row (B,) of the deepest that only fine (B, N) nodes lead to."""
    depth = torch.full_like(above, -1)
    depth = torch.cat([torch.zeros_like(fine[:, :0].sum(1))[:, None], depth], 1)
    for i in range(above.shape[1]):
        before = select(depth, above[:, i])
        depth[:, i + 1] = torch.where(fine[:, i] & (before >= 0), before + 1, -1)
    return argmax(depth)


def _path(end: Tensor, above: Tensor) -> Tensor:
    """The nodes (B, N) on the way from the root to the row `end` (B,)."""
    kept = torch.zeros_like(above, dtype=torch.bool)
    for i in reversed(range(above.shape[1])):
        kept[:, i] = end == i + 1
        end = torch.where(kept[:, i], above[:, i], end)
    return kept
