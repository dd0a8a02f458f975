"""Exact match at temperature 0 on trees: the twin of reference/verify/greedy."""

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..rows import argmax
from ..verified import Verified
from ..walk import follow


def one(request: Request) -> Ending:
    """From logits, of which no weights are made."""
    return request.follow(request.likeliest)


@batched(reads_q=False, fused=one)
def verify(batch: Batch) -> Verified:
    """Walk down each tree along the most likely tokens; ties: the lowest id."""
    return follow(batch, argmax(batch.p), batch.faulty)
