"""Gumbel-max list sampling on a tree: the target reads the races of all its drafts.

Rowan, Phan and Khisti (2025), "List-level distribution coupling with applications to
speculative decoding and lossy compression", section 4.
https://arxiv.org/abs/2506.05632
At each depth there are `lists` independent races over the words, one for each draft,
and a word of the target's runs in all of them: with the shortest of its times.
"""

import numpy as np

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs, proposal: Proposal, source: Source, *, lists: int = 2
) -> list[int]:
    """Emit the target's own winners while they are drafted below what was emitted.

    All lists are read at every depth, also those whose draft has parted from the text:
    so what is emitted depends on the races and the target alone, and with races keyed
    by absolute position the text does not depend on the drafter.

    lists: of the drafts' races, how many the target reads; drafts beyond agree less.
    Coins: race at each depth visited, over `lists` times the vocabulary.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        row = p[node + 1]
        winner = source.race(len(emitted), np.tile(row, lists))
        emitted.append(winner % len(row))
        node = proposal.at(emitted)
    return emitted
