"""Relaxed acceptance on chains: the twin of reference/verify/relaxed."""

from ..batch import Batch, batched
from ..rows import argmax, empty, select
from ..verified import Verified, emit


@batched(reads_q=False)
def verify(batch: Batch, *, top: int = 2, delta: float = 0.25) -> Verified:
    """Keep a prefix of near misses, then add the target's most likely token."""
    rows, wanted = batch.p[:, :-1], batch.wanted
    likelier = (rows > wanted[..., None]).sum(-1)
    near = (likelier < top) & (rows.amax(-1) - wanted <= delta)
    kept = (batch.drafted & near).cumprod(1).bool()
    row = select(batch.p, kept.sum(1))
    return emit(batch.tokens, kept, argmax(row), batch.faulty | empty(row))
