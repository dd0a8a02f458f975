"""Speculative sampling on chains: the twin of reference/verify/chain."""

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..rows import residual, select
from ..verified import Verified
from ..walk import draw


def one(request: Request) -> Ending:
    """From logits: p and q are read down to the token that is refused."""
    nodes = len(request.tokens)
    for i, x in enumerate(request.tokens):
        p, q = request.p(i), request.q(i)
        if q is None:
            return request.ends(range(i), p)
        if not request.accept[i] * q.weight(x) < p.weight(x):
            p.less(q)
            return request.ends(range(i), p)
    return request.ends(range(nodes), request.p(nodes))


@batched(reads_q=True, fused=one)
def verify(batch: Batch) -> Verified:
    """Keep a prefix of each draft, then add one token of the target's own."""
    accepted = batch.drafted & (batch.accept * batch.offered < batch.wanted)
    kept = accepted.cumprod(1).bool()
    end = kept.sum(1)
    left = residual(select(batch.p, end), batch.q_after(end))
    return draw(batch, kept, end, left)
