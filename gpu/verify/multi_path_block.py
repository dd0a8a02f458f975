"""Greedy multi-path block verification: twin of reference/verify/multi_path_block."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import weight
from ..verified import Verified
from . import block

LEAST = 1e-200
"""A path with less than this part of the odds of those before it has no effect."""


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Verify, of K independent paths of one length, the last in lexicographic order.

    Tokens are ordered in float64, so that ties are those of the reference.
    """
    width = (batch.drafted & (batch.parents == -1)).sum(1)
    chain = _along(batch, *_last(batch))
    return block.judge(chain._replace(q=_law(chain, width).to(batch.q.dtype)))


def _last(batch: Batch) -> tuple[Tensor, Tensor]:
    """The nodes (B, N) of the last path by depth, and whether there is one (B, N)."""
    each = torch.arange(len(batch.p), device=batch.p.device)[:, None]
    above = batch.parents + 1
    wanted = weight(batch.p[each, above], batch.tokens)
    ratio = wanted.double() / batch.offered.double()
    path, on = torch.zeros_like(batch.tokens), torch.zeros_like(batch.drafted)
    alive = pad(on, (1, 0))
    alive[:, 0] = True
    for depth in range(path.shape[1]):
        tried = batch.drafted & alive.gather(1, above)
        top = ratio.masked_fill(~tried, -1).amax(1, keepdim=True)
        x = torch.where(tried & (ratio == top), batch.tokens, -1).amax(1, keepdim=True)
        tried &= batch.tokens == x
        on[:, depth], path[:, depth] = tried.max(1)
        alive = pad(tried, (1, 0))
    return path, on


def _along(batch: Batch, path: Tensor, on: Tensor) -> Batch:
    """The nodes of a path, their rows and their coins as a chain."""
    each = torch.arange(len(path), device=path.device)[:, None]
    rows = pad(path + 1, (1, 0))
    return batch._replace(
        p=batch.p[each, rows],
        q=batch.q[each, path],
        tokens=batch.tokens[each, path],
        accept=batch.accept[each, path],
        sample=batch.sample[each, rows],
        drafted=on,
    )


def _law(chain: Batch, width: Tensor) -> Tensor:
    """The law (B, N, V) of each token of the last of `width` (B,) paths.

    `low` and `high` as in the reference: high**K - low**K, without cancellation.
    """
    q = chain.q.double()
    smaller = _smaller(chain.p[:, :-1].double(), q)
    before, here = _odds(weight(smaller, chain.tokens), weight(q, chain.tokens))
    mass = here[..., None] * q
    high = before[..., None] + here[..., None] * smaller + mass
    k = width[:, None, None]
    odds = high**k * -torch.expm1(k * torch.log1p(-mass / high))
    odds = torch.where(k == 1, q, torch.where(q > 0, odds, 0))
    return odds / odds.sum(-1, keepdim=True)


def _odds(smaller: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """The odds (B, N) of a path to come before the tokens above, and to share them."""
    before = torch.zeros_like(pad(q, (1, 0)))
    here = torch.ones_like(before)
    for i in range(q.shape[1]):
        low = before[:, i] + here[:, i] * smaller[:, i]
        own = here[:, i] * q[:, i]
        before[:, i + 1] = low / (low + own)
        here[:, i + 1] = (own / (low + own)).clamp(min=LEAST)
    return before[:, :-1], here[:, :-1]


def _smaller(p: Tensor, q: Tensor) -> Tensor:
    """The mass (B, N, V) that q gives to the tokens before each, in order of p/q."""
    ratio = torch.where(q > 0, p / q, torch.inf)
    order = ratio.sort(stable=True).indices
    upto = q.gather(-1, order).cumsum(-1)
    return torch.empty_like(q).scatter_(-1, order, pad(upto, (1, 0))[..., :-1])
