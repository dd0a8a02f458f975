"""Recursive rejection sampling on a tree: each sibling is tried on what is left.

Siblings drawn independently: Miao et al. (2024), "SpecInfer", Algorithm 2.
https://arxiv.org/abs/2305.09781
Without replacement: Jeon et al. (2024), "Recursive speculative decoding", Algorithm 1.
https://arxiv.org/abs/2402.14160
The rule is one; only the row q that a sibling was drawn from differs.
"""

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Walk down the tree while some child is kept, then add one token.

    Coins: accept[i] for each child looked at, then sample where the walk ends.
    """
    node = -1
    emitted: list[int] = []
    while True:
        row = p[node + 1]
        for child in proposal.children(node):
            x, q = proposal.tokens[child], proposal.drawn_from[child]
            if source.accept(child, min(1, row[x] / q[x])):
                break
            row = residual(row, q)
            row = row / row.sum()
        else:
            return [*emitted, source.sample(node + 1, row)]
        node = child
        emitted.append(x)
