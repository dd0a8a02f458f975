"""Speculative sampling of drafts taken as certain: twin of reference/verify/one_hot."""

import torch
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..rows import select
from ..verified import Verified
from ..walk import draw


def one(request: Request) -> Ending:
    """From logits: p is read down to the token that is refused."""
    nodes = len(request.tokens)
    for i, x in enumerate(request.tokens):
        p = request.p(i)
        if not request.is_word(i):
            return request.ends(range(i), p)
        if not request.accept[i] < p.weight(x):
            p.words[x] = 0
            return request.ends(range(i), p.sum())
    return request.ends(range(nodes), request.p(nodes))


@batched(reads_q=False, fused=one)
def verify(batch: Batch) -> Verified:
    """Keep each token with the target's own probability, else draw another one."""
    accepted = batch.drafted & (batch.accept < batch.wanted)
    kept = accepted.cumprod(1).bool()
    end = kept.sum(1)
    row, refused = select(batch.p, end), select(pad(batch.tokens, (0, 1)), end)
    without = row.scatter(1, refused[:, None], 0)
    left = torch.where(batch.goes_on(end)[:, None], without, row)
    return draw(batch, kept, end, left)
