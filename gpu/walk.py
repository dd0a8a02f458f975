"""How a batched rule ends: the drafted tokens it keeps, and the one that follows them.

The nodes that are kept, (B, N) bool, are a path down each tree: on a chain a prefix.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from .batch import Batch
from .copies import merged
from .rows import categorical, empty, select, winner
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
    return categorical(batch.p, batch.sample), _lost(batch)


def race_everywhere(
    batch: Batch, times: Tensor, lists: int = 1
) -> tuple[Tensor, Tensor]:
    """The token (B, N + 1) that wins at every row of p in its times (B, N + 1, W), of
    which each word runs in `lists`; and who (B,) had an empty row.
    """
    vocab = batch.p.shape[-1]
    if times.shape[-1] < lists * vocab:
        raise ValueError(
            f"race has {times.shape[-1]} times a row: expected {lists} x {vocab}"
        )
    rows = batch.p.repeat(1, 1, lists)
    return winner(rows, times[..., : lists * vocab]) % vocab, _lost(batch)


def depths(batch: Batch) -> Tensor:
    """How far (B, N + 1) each row of p is from the root; 1 where nothing is drafted."""
    above = torch.where(batch.drafted, batch.parents + 1, 0).long()
    found = [torch.zeros_like(batch.faulty, dtype=torch.long)]
    for parent in above.unbind(1):
        found.append(select(torch.stack(found, 1), parent) + 1)
    return torch.stack(found, 1)


def _lost(batch: Batch) -> Tensor:
    rows = pad(batch.drafted, (1, 0), value=True)
    return (rows & empty(batch.p)).any(1)


def follow(batch: Batch, drawn: Tensor, fallback: Tensor) -> Verified:
    """Go down the tree while the token `drawn` (B, N + 1) at a row is drafted there."""
    tree = merged(batch)
    end = torch.zeros_like(drawn[:, 0])
    kept = torch.zeros_like(tree.drafted)
    for i, token in enumerate(tree.tokens.unbind(1)):
        child = tree.drafted[:, i] & (tree.parents[:, i] == end - 1)
        kept[:, i] = child & (token == select(drawn, end))
        end = torch.where(kept[:, i], i + 1, end)
    return emit(batch.tokens, kept, select(drawn, end), fallback)
