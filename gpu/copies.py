"""Equal siblings made one, batched: the twin of Proposal.deduplicated."""

import torch
from torch import Tensor

from .batch import Batch
from .rows import select


def deduplicated(batch: Batch) -> Batch:
    """The first of equal siblings stays, with the children of all of them.

    Nodes keep their numbers; a copy counts as not drafted. The tokens of elder siblings
    are taken out of the rows q.
    """
    tree = merged(batch)
    return tree._replace(q=_unserved(tree))


def merged(batch: Batch) -> Batch:
    """The same, q left alone: one pass, as parents come before their children."""
    row = torch.zeros_like(batch.sample, dtype=torch.long)
    drafted = torch.zeros_like(batch.drafted)
    parents = torch.full_like(batch.tokens, -1)
    for i in range(batch.tokens.shape[1]):
        parents[:, i] = select(row, batch.parents[:, i] + 1) - 1
        same = drafted & (batch.tokens == batch.tokens[:, i, None])
        found, first = (same & (parents == parents[:, i, None])).max(1)
        row[:, i + 1] = torch.where(found, first, i) + 1
        drafted[:, i] = batch.drafted[:, i] & ~found
    return batch._replace(parents=parents, drafted=drafted)


def _unserved(tree: Batch) -> Tensor:
    """The rows q (B, N, V), from each the tokens of elder siblings taken, if in."""
    order = torch.arange(tree.tokens.shape[1], device=tree.tokens.device)
    elder = tree.drafted[:, None] & (tree.parents[:, None] == tree.parents[..., None])
    elder &= order < order[:, None]
    tokens = tree.tokens[:, None].expand_as(elder)
    served = torch.where(elder, tree.q.gather(2, tokens), 0).sum(2, keepdim=True) > 0
    bound = torch.where(elder, 0, torch.inf).to(tree.q.dtype)
    rest = tree.q.scatter_reduce(2, tokens, bound, "amin")
    return torch.where(served, rest / rest.sum(2, keepdim=True), tree.q)
