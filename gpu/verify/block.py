"""Block verification of chains: the twin of reference/verify/block."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..rows import residual, select
from ..verified import Verified
from ..walk import draw


def one(request: Request) -> Ending:
    """From logits: every row of p and q once, and again those where the block ends."""
    kept, share, worth = 0, 1.0, 1.0
    for i in range(len(request.tokens) + 1):
        p = request.p(i)
        q = request.q(i) if i < len(request.tokens) else None
        x = request.tokens[i] if q else 0
        after = min(1, worth * p.weight(x) / q.weight(x)) if q else 0.0
        if i:
            gain = p.less(q, worth) if q else worth
            if request.accept[i - 1] * (gain + (1 - worth)) < gain:
                kept, share = i, worth
        worth = after
        if q is None:
            break
    p, q = request.p(kept), request.q(kept) if kept < len(request.tokens) else None
    if q:
        p.less(q, share)
    return request.ends(range(kept), p)


@batched(reads_q=True, fused=one)
def verify(batch: Batch) -> Verified:
    """Keep the longest prefix of each draft that passes, then add one token."""
    return judge(batch)


def judge(batch: Batch) -> Verified:
    """A pass of odds 0/0 counts as failed: p is q at the next row, which passes."""
    weights = _weights(batch)
    after = weights[:, 1:]
    followed = pad(batch.drafted, (0, 1))[:, 1:]
    gain = torch.where(followed, _excess(batch, after), after)
    slack = torch.where(followed, gain + (1 - after), 1)
    passed = batch.accept * slack < gain
    kept = passed.flip(1).cumsum(1).flip(1) > 0
    end = kept.sum(1)
    scaled = select(weights, end)[:, None] * select(batch.p, end)
    left = residual(scaled, batch.q_after(end))
    return draw(batch, kept, end, left)


def _weights(batch: Batch) -> Tensor:
    """How much (B, N + 1) of q's path the target can use, after 0 to N tokens."""
    weights = [torch.ones_like(batch.sample[:, 0])]
    for x in zip(batch.wanted.T, batch.offered.T, batch.drafted.T, strict=True):
        wanted, offered, drafted = x
        weight = (weights[-1] * wanted / offered).clamp(max=1)
        weights.append(torch.where(drafted, weight, 0))
    return torch.stack(weights, 1)


def _excess(batch: Batch, after: Tensor) -> Tensor:
    """The mass (B, N) of max(weight * p - q, 0) after each token; 0 after the last."""
    scaled = after[:, :-1, None] * batch.p[:, 1:-1]
    mass = residual(scaled, batch.q[:, 1:]).sum(-1)
    return pad(mass, (0, 1))[:, : after.shape[1]]
