"""How a batched rule ends: the drafted tokens it keeps, and the one that follows them.

The nodes that are kept, (B, N) bool, are a path down each tree: on a chain a prefix.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from .batch import Batch
from .rows import categorical, empty, select
from .verified import Verified, emit


def draw(batch: Batch, kept: Tensor, end: Tensor, row: Tensor) -> Verified:
    """The tokens of the nodes `kept`, then one drawn from `row` (B, V).

    The block ends at row `end` (B,) of p, which stands in for an empty `row`.
    """
    lost = empty(row)
    row = torch.where(lost[:, None], select(batch.p, end), row)
    last = categorical(row, select(batch.sample, end))
    return emit(batch.tokens, kept, last, batch.faulty | lost)


def draw_everywhere(batch: Batch) -> tuple[Tensor, Tensor]:
    """The token (B, N + 1) drawn at every row of p, and who (B,) had an empty row."""
    rows = pad(batch.drafted, (1, 0), value=True)
    return categorical(batch.p, batch.sample), (rows & empty(batch.p)).any(1)


def follow(batch: Batch, drawn: Tensor, fallback: Tensor) -> Verified:
    """Go down the tree while the token `drawn` (B, N + 1) at a row is drafted there."""
    end = torch.zeros_like(drawn[:, 0])
    kept = torch.zeros_like(batch.drafted)
    for i, token in enumerate(batch.tokens.unbind(1)):
        child = batch.drafted[:, i] & (batch.parents[:, i] == end - 1)
        kept[:, i] = child & (token == select(drawn, end))
        end = torch.where(kept[:, i], i + 1, end)
    return emit(batch.tokens, kept, select(drawn, end), fallback)
