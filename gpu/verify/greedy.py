"""Exact match at temperature 0 on trees: the twin of reference/verify/greedy."""

from ..batch import Batch, batched
from ..rows import argmax
from ..verified import Verified
from ..walk import follow


@batched(reads_q=False)
def verify(batch: Batch) -> Verified:
    """Walk down each tree along the most likely tokens; ties: the lowest id."""
    return follow(batch, argmax(batch.p), batch.faulty)
