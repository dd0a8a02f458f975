"""Conditional transport on hub trees: the twin of reference/verify/greedy_transport."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..fused.row import Row
from ..rows import residual, select, weight
from ..siblings import best, rows_above
from ..trees import last_children, of
from ..verified import Verified
from ..walk import draw


def one(request: Request) -> Ending:
    """From logits: p and q are read at the rows that tokens hang from, in order."""
    nodes = range(len(request.tokens))
    worth, mass = [1.0, *(0.0 for _ in nodes)], [0.0, *(0.0 for _ in nodes)]
    below = [request.children([row - 1]) for row in range(len(worth))]
    for row, children in enumerate(below):
        mass[row] = worth[row]
        if children and worth[row]:
            shares, mass[row], _ = _shares(request, row, worth[row], children)
            for child, share in shares.items():
                worth[child + 1] = share
    path = _passing(request, below, worth, mass)
    at = path[-1] + 1 if path else 0
    left = _shares(request, at, worth[at], below[at])[2]
    return request.ends(path, left)


def _shares(
    request: Request, row: int, worth: float, children: Sequence[int]
) -> tuple[dict[int, float], float, Row]:
    """What the children of a row are worth, and what is left: how much, and the row."""
    *fixed, drawn = children or [-1]
    p, shares, left = request.p(row), dict[int, float](), worth
    if drawn >= 0 and (q := request.q(drawn)):
        x = request.tokens[drawn]
        shares[drawn] = min(1.0, worth * p.weight(x) / q.weight(x))
        left = p.less(q, worth)
    scale = left / p.mass if p.mass > 0 else 0.0
    claims = {child: scale * p.take(request.tokens[child]) for child in fixed}
    left = max(left - sum(claims.values()), 0.0)
    room = left + (1 - worth)
    for child in reversed(fixed):
        room += claims[child]
        shares[child] = claims[child] / room if room > 0 else 0.0
    return shares, left, p.sum() if fixed else p


def _passing(
    request: Request, below: list[list[int]], worth: list[float], mass: list[float]
) -> list[int]:
    """The path to the first node that passes: children first, the last before others"""

    def visit(node: int) -> list[int] | None:
        children = below[node + 1]
        for child in children[-1:] + children[:-1]:
            if (path := visit(child)) is not None:
                return [child, *path]
        row = node + 1
        room = mass[row] + (1 - worth[row])
        return [] if node < 0 or request.accept[node] * room < mass[row] else None

    return visit(-1) or []


@batched(reads_q=True, fused=one)
def verify(batch: Batch) -> Verified:
    """Keep a path of each tree, the deepest that passes, then add one token.

    What a node is worth depends on no coin, only on all before it having failed: so all
    are weighed from the root down, and then the first that passes is looked for.
    """
    drawn = last_children(batch)
    weights, mass = torch.zeros_like(batch.sample), torch.zeros_like(batch.sample)
    weights[:, 0] = 1
    for row in range(weights.shape[1]):
        at = torch.full_like(drawn[:, 0], row)
        shares, left = _transport(batch, drawn, weights, at)
        weights[:, 1:] += shares
        mass[:, row] = left.sum(-1)
    room = mass + (1 - weights)
    passed = batch.drafted & (batch.accept * room[:, 1:] < mass[:, 1:])
    kept, end = _first(batch, drawn, passed)
    return draw(batch, kept, end, _transport(batch, drawn, weights, end)[1])


def _transport(
    batch: Batch, drawn: Tensor, weights: Tensor, at: Tensor
) -> tuple[Tensor, Tensor]:
    """What the children of rows `at` (B,) are worth, (B, N), and what is left (B, V).

    The drawn child comes first. Its siblings claim all that the target wants of them.
    """
    order = torch.arange(batch.tokens.shape[1], device=at.device)
    child, worth = select(drawn, at), select(weights, at)
    wanted = worth[:, None] * select(batch.p, at)
    x, q = of(child, batch.tokens), of(child, batch.q)
    first = order == child[:, None]
    fixed = batch.drafted & (batch.parents == at[:, None] - 1) & ~first
    left = residual(wanted, q)
    claims = torch.where(fixed, left.gather(1, batch.tokens), 0)
    left = left.scatter_add(1, batch.tokens, -claims).clamp_(min=0)
    unclaimed = left.sum(-1) + (1 - worth)
    room = unclaimed[:, None] + claims.flip(1).cumsum(1).flip(1)
    share = (weight(wanted, x) / weight(q, x)).clamp(max=1)
    shares = torch.where(first, share[:, None], 0)
    return torch.where(fixed, claims / room, shares), left


def _first(batch: Batch, drawn: Tensor, passed: Tensor) -> tuple[Tensor, Tensor]:
    """The path (B, N) to the first node (B, N) that passed; the row (B,) there.

    All below a node come before it, and all below a drawn child before its siblings.
    """
    above, each = rows_above(batch), torch.arange(len(passed), device=passed.device)
    order = torch.arange(passed.shape[1], device=passed.device)
    leads = pad(passed, (1, 0))
    for i in reversed(range(passed.shape[1])):
        leads[each, above[:, i]] |= leads[:, i + 1] & batch.drafted[:, i]
    last = drawn.gather(1, above) == order
    child = best(batch, leads[:, 1:] & batch.drafted, last.long())
    kept, end = torch.zeros_like(passed), torch.zeros_like(each)
    for i in range(passed.shape[1]):
        kept[:, i] = select(child, end) == i
        end = torch.where(kept[:, i], i + 1, end)
    return kept, end
