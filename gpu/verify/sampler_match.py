"""Sampler match on chains: the twin of reference/verify/sampler_match."""

from ..batch import Batch, batched
from ..rows import select
from ..verified import Verified, emit
from ..walk import draw_everywhere


@batched(reads_q=False)
def verify(batch: Batch) -> Verified:
    """Emit the target's own draws up to the first that differs from the draft."""
    drawn, lost = draw_everywhere(batch)
    agreed = batch.drafted & (batch.tokens == drawn[:, :-1])
    kept = agreed.cumprod(1).bool()
    last = select(drawn, kept.sum(1))
    return emit(batch.tokens, kept, last, batch.faulty | lost)
