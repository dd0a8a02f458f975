"""Speculative sampling with lenience on chains: twin of reference/verify/lenience."""

from ..batch import Batch, batched
from ..rows import residual, select
from ..verified import Verified
from ..walk import draw


@batched(reads_q=True)
def verify(batch: Batch, *, lenience: float = 0.5) -> Verified:
    """Keep a prefix of each draft as if q were `lenience` times q; add one token."""
    accepted = batch.accept * lenience * batch.offered < batch.wanted
    kept = (batch.drafted & accepted).cumprod(1).bool()
    end = kept.sum(1)
    left = residual(select(batch.p, end), lenience * batch.q_after(end))
    return draw(batch, kept, end, left)
