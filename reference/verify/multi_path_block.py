"""Greedy multi-path block verification: block verification of the best of K paths.

Thomas and Pal (2026), "Greedy multi-path block verification for faster decoding in
speculative sampling". https://arxiv.org/abs/2602.16961
The best of K draws has not the law of one. With its own law for q it is verified by
Sun et al. (2024), Algorithm 2. https://arxiv.org/abs/2403.10444
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Refused, Shifted, Source
from ..remembered import remembered
from . import block

Rank = Callable[[int], tuple[Any, int]]


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Verify, of K independent paths of one length, the last in lexicographic order.

    After each prefix tokens are ordered by p/q, ties by id. More paths may be worse:
    where p is q one path is kept whole, but not the best of two. Refused unless the
    draft is K such paths.
    Coins: accept[i] for every node of the best path, then sample where the block ends.
    """
    path, q = _best(p, proposal, _paths(proposal))
    rows = [0, *(node + 1 for node in path)]
    tokens = [proposal.tokens[node] for node in path]
    chain = Proposal(tokens, [*range(-1, len(path) - 1)], np.array(q))
    return block.verify(p[rows], chain, _Along(source, rows))


def _paths(proposal: Proposal) -> list[list[int]]:
    """The nodes of each path, root first."""
    paths = [[node] for node in proposal.children(-1)]
    for path in paths:
        while below := proposal.children(path[-1]):
            path.append(below[0])
    lengths = [len(path) for path in paths]
    if sum(lengths) != len(proposal.tokens) or len(set(lengths)) > 1:
        raise Refused(f"no paths of one length side by side: {proposal.parents}")
    return paths


def _best(
    p: Probs, proposal: Proposal, paths: list[list[int]]
) -> tuple[list[int], list[Probs]]:
    """The nodes of the last path, and the law of each given those before it."""
    tokens, width = proposal.tokens, len(paths)
    best: list[int] = []
    law: list[Probs] = []
    alive, before, here = paths, 0, 1
    while alive and len(best) < len(alive[0]):
        nodes = [path[len(best)] for path in alive]
        row, q = p[proposal.parents[nodes[0]] + 1], proposal.drawn_from[nodes[0]]
        rank = _rank(row, q)
        best.append(max(nodes, key=lambda node: rank(tokens[node])))
        x = tokens[best[-1]]
        alive = [path for path in alive if tokens[path[len(best) - 1]] == x]
        odds, low, high = _odds(row, q, before, here, width)
        law.append(odds / odds.sum())
        before, here = low[x] / high[x], here * q[x] / high[x]
    return best, law


def _rank(p: Probs, q: Probs) -> Rank:
    """By what tokens are ordered: choice and law must break ties alike."""
    return lambda x: (p[x] / q[x], x)


@remembered
def _odds(
    p: Probs, q: Probs, before: Any, here: Any, width: int
) -> tuple[Probs, Probs, Probs]:
    """Of each token (V,) to follow the prefix in the last path, up to a factor.

    before, here: the odds that one path comes before the prefix, and that it shares it.
    Also returns those of coming before each token, `low`, and of not coming after it,
    `high`: the last of K has the token with odds high**K - low**K.
    """
    order = sorted(np.flatnonzero(q).tolist(), key=_rank(p, q))
    smaller = 0 * q
    smaller[order[1:]] = np.cumsum(q[order[:-1]])
    low = before + here * smaller
    high = low + here * q
    powers = (high**i * low ** (width - 1 - i) for i in range(width))
    return q * sum(powers), low, high


class _Along(Shifted):
    """The coins of a path's nodes and rows, asked for by depth."""

    def __init__(self, source: Source, rows: Sequence[int]):
        super().__init__(source, 0)
        self._rows = rows

    def accept(self, i: int, prob: Any) -> bool:
        return super().accept(self._rows[i + 1] - 1, prob)

    def sample(self, r: int, weights: Probs) -> int:
        return super().sample(self._rows[r], weights)
