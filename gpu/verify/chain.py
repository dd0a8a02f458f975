"""Speculative sampling on chains: the twin of reference/verify/chain."""

from ..batch import Batch, batched
from ..rows import residual, select
from ..verified import Verified
from ..walk import draw


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Keep a prefix of each draft, then add one token of the target's own."""
    accepted = batch.drafted & (batch.accept * batch.offered < batch.wanted)
    kept = accepted.cumprod(1).bool()
    end = kept.sum(1)
    left = residual(select(batch.p, end), batch.q_after(end))
    return draw(batch, kept, end, left)
