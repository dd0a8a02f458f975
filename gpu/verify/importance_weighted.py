"""Importance-weighted choice: the twin of reference/verify/importance_weighted."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import categorical, empty, residual, weight
from ..siblings import answer, best, count
from ..trees import last_children, of
from ..verified import Verified
from ..walk import follow


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Choose one child, keep it if p can use it, else draw from what is left.

    The token is made at every row of p at once, and then the tree is followed. Words
    are ordered in float64, so that ties are those of the reference, and sums over them
    taken so: their differences count.
    """
    n, first = count(batch), best(batch, batch.drafted)
    p, q = batch.p, of(first, batch.q)
    share, law, rank = _choice(p, q, n)
    largest = best(batch, batch.drafted, answer(batch, rank))
    leap = (n > 1) & (of(first, batch.accept) < share)
    x = of(torch.where(leap, largest, first), batch.tokens)
    coin = of(last_children(batch), batch.accept)
    kept = (n > 0) & (coin * weight(law, x) < weight(p, x))
    left = residual(p, law)
    lost = pad(batch.drafted, (1, 0), value=True) & ~kept & empty(left)
    drawn = categorical(torch.where(lost[..., None], p, left), batch.sample)
    token = torch.where(kept, x, drawn)
    return follow(batch, token, batch.faulty | lost.any(1))


def _choice(p: Tensor, q: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The share (B, N + 1), the law (B, N + 1, V) of the choice, and ranks of words."""
    ratio = torch.where(q > 0, p.double() / q.double(), torch.inf)
    order = ratio.argsort(dim=-1, stable=True)
    up_to = q.gather(-1, order).cumsum(-1, dtype=torch.float64)
    largest = (pad(up_to, (1, 0)) ** n[..., None]).diff()
    gain = torch.zeros_like(up_to).scatter(-1, order, largest) - q
    share = _median(p - q, gain.to(q.dtype))
    ranks = torch.arange(q.shape[-1], device=q.device).expand_as(order)
    rank = torch.zeros_like(order).scatter(-1, order, ranks)
    return share, (q + share[..., None] * gain).to(q.dtype), rank


def _median(want: Tensor, gain: Tensor) -> Tensor:
    """The share (...) in [0, 1] at which sum |want - share * gain| is least."""
    turns = torch.where(gain != 0, want / gain, torch.inf)
    turns, order = turns.sort(dim=-1, stable=True)
    mass = gain.abs().gather(-1, order).cumsum(-1, dtype=torch.float64)
    middle = (2 * mass >= mass[..., -1:]).max(-1).indices
    return weight(turns, middle).clamp(0, 1)
