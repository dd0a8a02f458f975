"""Multi-draft sampling from a hub: the twin of reference/verify/hub."""

import torch
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import categorical, empty, residual, weight
from ..trees import last_children, of
from ..verified import Verified
from ..walk import follow


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Turn drawn children into tokens of the target's; while they are children, go on.

    The token is made at every row of p at once, and then the tree is followed.
    """
    drawn = last_children(batch)
    x, q, u = (of(drawn, given) for given in (batch.tokens, batch.q, batch.accept))
    kept = (drawn >= 0) & (u * weight(q, x) < weight(batch.p, x))
    left = residual(batch.p, q)
    lost = pad(batch.drafted, (1, 0), value=True) & ~kept & empty(left)
    left = torch.where(lost[..., None], batch.p, left)
    token = torch.where(kept, x, categorical(left, batch.sample))
    return follow(batch, token, batch.faulty | lost.any(1))
