"""Importance-weighted choice of one draft among siblings, then speculative sampling.

Khisti et al. (2024), "Multi-draft speculative sampling: canonical decomposition and
theoretical limits", section 4. https://arxiv.org/abs/2410.18234
Whatever the weights of the choice, speculative sampling is exact if its q is the law
that they give to the token chosen. The linear program of the paper has a weight for
every pair of tokens; here one is left, the share, whose best value is a median. With
two words that is as good as optimal transport.
"""

from typing import Any

import numpy as np

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source
from ..remembered import remembered
from ..transport import ascending


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Choose one child, keep it if p can use it, else draw from what is left.

    While the token is a child, however it was come by, go there.
    Coins: accept[i] for the first child of each node visited (whether the child of the
    largest p / q is chosen, otherwise the first) unless it is the only one; accept[i]
    for the last child (whether the one chosen is kept); sample where it is not.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        emitted.append(_token(p[node + 1], proposal, node, source))
        node = proposal.at(emitted)
    return emitted


def _token(row: Probs, proposal: Proposal, node: int, source: Source) -> int:
    children = proposal.children(node)
    if not children:
        return source.sample(node + 1, row)
    tokens = [proposal.tokens[child] for child in children]
    q = proposal.drawn_from[children[0]]
    x, (share, chosen) = tokens[0], choice(row, q, len(children))
    if len(children) > 1 and source.accept(children[0], share):
        x = max(tokens, key=[*ascending(row, q)].index)
    if source.accept(children[-1], min(1, row[x] / chosen[x])):
        return x
    return source.sample(node + 1, residual(row, chosen))


@remembered
def choice(p: Probs, q: Probs, n: int) -> tuple[Any, Probs]:
    """The share, and the law (V,) of the token chosen among n drafts from q.

    The draft of the largest p / q is chosen with odds `share`, otherwise the first. The
    token is kept with odds sum min(p, law), that is 1 - sum |p - law| / 2, which no
    other share makes larger.

    >>> from reference.model.table import row
    >>> choice(row([1, 2]), row([1, 1]), 2)
    (Fraction(2, 3), array([Fraction(1, 3), Fraction(2, 3)], dtype=object))
    """
    order = ascending(p, q)
    largest = 0 * q
    largest[order] = np.diff(np.cumsum(q[order]) ** n, prepend=0)
    gain = largest - q
    share = _median(p - q, gain) if gain.any() else 0
    return share, q + share * gain


def _median(want: Probs, gain: Probs) -> Any:
    """The least share in [0, 1] at which sum |want - share * gain| is least."""
    moved = np.flatnonzero(gain)
    turns = want[moved] / gain[moved]
    order = np.argsort(turns, kind="stable")
    weight = np.cumsum(abs(gain[moved][order]))
    return min(1, max(0, turns[order][2 * weight >= weight[-1]][0]))
