"""A speculative cascade on chains: the twin of reference/verify/cascade."""

import torch
from torch import Tensor

from ..batch import Batch, batched
from ..rows import residual, select
from ..verified import Verified
from ..walk import draw


@batched(reads_q=True)
def verify(batch: Batch, *, alpha: float = 0.5) -> Verified:
    """Speculative sampling whose target is q where the cascade does not defer to p."""
    batch = batch._replace(p=_mixture(batch, alpha))
    accepted = batch.drafted & (batch.accept * batch.offered < batch.wanted)
    kept = accepted.cumprod(1).bool()
    end = kept.sum(1)
    left = residual(select(batch.p, end), batch.q_after(end))
    return draw(batch, kept, end, left)


def _mixture(batch: Batch, alpha: float) -> Tensor:
    """The rows (B, N + 1, V) to keep: q where a token is drafted and q is sure."""
    p, q = batch.p[:, :-1], batch.q
    gap = residual(p, q).sum(-1)
    sure = batch.drafted & (q.amax(-1) >= p.amax(-1) - alpha * gap)
    return torch.cat([torch.where(sure[..., None], q, p), batch.p[:, -1:]], 1)
