"""Recursive rejection sampling on trees: the twin of reference/verify/recursive."""

import torch

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..rows import residual, weight
from ..verified import Verified
from ..walk import draw


def one(request: Request) -> Ending:
    """From logits: p is read at the rows on the way, q at the children looked at."""
    path = list[int]()
    while True:
        node = path[-1] if path else -1
        row = request.p(node + 1)
        for child in request.children([node]):
            x, q = request.tokens[child], request.q(child)
            if q and request.accept[child] * q.weight(x) < row.weight(x):
                path.append(child)
                break
            if q and not row.less(q) > 0:
                return request.ends(path, row)
        else:
            return request.ends(path, row)


@batched(reads_q=True, fused=one)
def verify(batch: Batch) -> Verified:
    """Walk down each tree while some child is kept, then add one token."""
    return walk(batch)


def walk(batch: Batch) -> Verified:
    """Parents come before their children, so one pass over the nodes is the walk."""
    row, faulty = batch.p[:, 0], batch.faulty
    end = torch.zeros_like(faulty, dtype=torch.long)
    kept = torch.zeros_like(batch.drafted)
    for i, x in enumerate(batch.tokens.unbind(1)):
        q, u = batch.q[:, i], batch.accept[:, i]
        tried = batch.drafted[:, i] & (batch.parents[:, i] == end - 1)
        kept[:, i] = tried & (u * weight(q, x) < weight(row, x))
        refused = tried & ~kept[:, i]
        left = residual(row, q)
        mass = left.sum(-1)
        reduced = (refused & (mass > 0))[:, None]
        row = torch.where(reduced, left / mass[:, None], row)
        row = torch.where(kept[:, i, None], batch.p[:, i + 1], row)
        faulty = faulty | (refused & ~(mass > 0))
        end = torch.where(kept[:, i], i + 1, end)
    return draw(batch._replace(faulty=faulty), kept, end, row)
