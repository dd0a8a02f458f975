"""Target-only sampling with thresholds: the twin of reference/verify/thresholds."""

import torch

from ..batch import Batch, batched
from ..rows import weight
from ..verified import Verified
from ..walk import draw


@batched(reads_q=False)
def verify(batch: Batch, *, single: float = 0.25, acc: float = 0.5) -> Verified:
    """Walk down each tree while some child is kept, then add one token.

    Parents come before their children, so one pass over the nodes is the walk.
    """
    left = batch.p[:, 0]
    seen, reached = torch.zeros_like(left[:, 0]), torch.zeros_like(left[:, 0])
    end = torch.zeros_like(batch.faulty, dtype=torch.long)
    kept = torch.zeros_like(batch.drafted)
    for i, x in enumerate(batch.tokens.unbind(1)):
        tried = batch.drafted[:, i] & (batch.parents[:, i] == end - 1)
        wanted, before = weight(left, x), reached
        seen = torch.where(tried, seen + wanted, seen)
        sure = wanted >= single
        reached = torch.where(sure, 1, (seen / acc).clamp(max=1))
        reached = torch.where(tried, reached, before)
        kept[:, i] = tried & (batch.accept[:, i] * (1 - before) < reached - before)
        taken_out = left.scatter(1, x[:, None], 0)
        left = torch.where((tried & ~kept[:, i])[:, None], taken_out, left)
        left = torch.where(kept[:, i, None], batch.p[:, i + 1], left)
        seen, reached = (torch.where(kept[:, i], 0, s) for s in (seen, reached))
        end = torch.where(kept[:, i], i + 1, end)
    return draw(batch, kept, end, left)
