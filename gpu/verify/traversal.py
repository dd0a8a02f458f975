"""Traversal verification of trees: the twin of reference/verify/traversal."""

import torch
from torch import Tensor

from ..batch import Batch, batched
from ..copies import deduplicated
from ..rows import residual, select, weight
from ..verified import Verified
from ..walk import draw


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Keep the path to the first leaf of each tree that passes, depth first.

    What a node is worth in its turn depends on no coin, only on all before it having
    failed: so all are weighed, and then the first that passes is looked for.
    """
    tree = deduplicated(batch)
    rows, weights = _weighed(tree)
    passed = tree.drafted & (tree.accept < weights[:, 1:])
    kept, end = _first(tree, passed)
    return draw(tree, kept, end, select(rows, end))


def _weighed(tree: Batch) -> tuple[Tensor, Tensor]:
    """What each node wants (B, N + 1, V) and weighs (B, N + 1) in its turn.

    Elder siblings come first, so one pass serves each child what its node still wants.
    Slack 0 is p = q, which refuses no child: nothing is wanted after it.
    """
    rows, weights = tree.p.clone(), torch.ones_like(tree.sample)
    each = torch.arange(len(rows), device=rows.device)
    for i, x in enumerate(tree.tokens.unbind(1)):
        above, q, drafted = tree.parents[:, i] + 1, tree.q[:, i], tree.drafted[:, i]
        row, old = rows[each, above], weights[each, above]
        worth = (weight(row, x) / weight(q, x)).clamp(max=1)
        weights[:, i + 1] = torch.where(drafted, worth, 0)
        rows[:, i + 1] *= weights[:, i + 1, None]
        left = residual(row, q)
        mass = left.sum(-1)
        slack = mass + (1 - old)
        share = torch.where(slack > 0, 1 / slack, 0)
        rows[each, above] = torch.where(drafted[:, None], left * share[:, None], row)
        weights[each, above] = torch.where(drafted, mass * share, old)
    return rows, weights


def _first(tree: Batch, passed: Tensor) -> tuple[Tensor, Tensor]:
    """The path (B, N) to the first node, depth first, that passed; the row (B,) there.

    It lies below the first child that has such a node below, and so on.
    """
    each = torch.arange(len(passed), device=passed.device)
    leads = torch.cat([torch.ones_like(passed[:, :1]), passed], 1)
    for i in reversed(range(passed.shape[1])):
        leads[each, tree.parents[:, i] + 1] |= leads[:, i + 1]
    kept, end = torch.zeros_like(passed), torch.zeros_like(each)
    for i in range(passed.shape[1]):
        kept[:, i] = leads[:, i + 1] & (tree.parents[:, i] == end - 1)
        end = torch.where(kept[:, i], i + 1, end)
    return kept, end
