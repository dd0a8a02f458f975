"""Speculative sampling of drafts taken as certain: twin of reference/verify/one_hot."""

import torch
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import select
from ..verified import Verified
from ..walk import draw


@batched(reads_q=False)
def verify(batch: Batch) -> Verified:
    """Keep each token with the target's own probability, else draw another one."""
    accepted = batch.drafted & (batch.accept < batch.wanted)
    kept = accepted.cumprod(1).bool()
    end = kept.sum(1)
    row, refused = select(batch.p, end), select(pad(batch.tokens, (0, 1)), end)
    without = row.scatter(1, refused[:, None], 0)
    left = torch.where(batch.goes_on(end)[:, None], without, row)
    return draw(batch, kept, end, left)
