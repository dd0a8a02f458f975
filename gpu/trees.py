"""What belongs to a node of each tree; of the children, the last, drawn in a hub."""

import torch
from torch import Tensor

from .batch import Batch
from .siblings import best


def last_children(batch: Batch) -> Tensor:
    """The last node (B, N + 1) drafted below each row of p; -1 where there is none."""
    order = torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
    return best(batch, batch.drafted, order)


def of(nodes: Tensor, values: Tensor) -> Tensor:
    """The values (B, N, ...) of `nodes` (B,) or (B, M); zeros where a node is -1."""
    if not values.shape[1]:
        return values.new_zeros(*nodes.shape, *values.shape[2:])
    request = torch.arange(len(nodes), device=nodes.device)
    found = values[request.view(-1, *[1] * (nodes.ndim - 1)), nodes.clamp(min=0)]
    gone = (nodes < 0).view(*nodes.shape, *[1] * (found.ndim - nodes.ndim))
    return found.masked_fill(gone, 0)
