"""The child of each node that is best in some way, for all nodes at once.

Rows of p stand for nodes: 0 is the root, i + 1 the node i.
"""

import torch
from torch import Tensor

from .batch import Batch


def rows_above(batch: Batch) -> Tensor:
    """The row (B, N) of p that each node hangs from; 0 for nodes that are not there."""
    return torch.where(batch.drafted, batch.parents.long() + 1, 0)


def answer(batch: Batch, rows: Tensor) -> Tensor:
    """What rows (B, N + 1, V) have (B, N) at each token, in the row above its node."""
    request = torch.arange(len(rows), device=rows.device)[:, None]
    return rows[request, rows_above(batch), batch.tokens]


def best(batch: Batch, among: Tensor, worth: Tensor | int = 0) -> Tensor:
    """The child (B, N + 1) of each row that is worth most; -1 where there is none.

    Only nodes in `among` (B, N) count; worth (B, N) are integers, 0 or more; of equals
    the first child.
    """
    nodes = max(among.shape[1], 1)
    order = torch.arange(nodes - 1, -1, -1, device=among.device)[: among.shape[1]]
    place = torch.where(among, worth * nodes + order, -1)
    none = torch.full_like(batch.sample, -1, dtype=torch.long)
    top = none.scatter_reduce(1, rows_above(batch), place, "amax")
    return torch.where(top < 0, -1, nodes - 1 - top % nodes)


def count(batch: Batch) -> Tensor:
    """How many children (B, N + 1) each row has."""
    none = torch.zeros_like(batch.sample, dtype=torch.long)
    return none.scatter_add(1, rows_above(batch), batch.drafted.long())
