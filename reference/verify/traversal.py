"""Traversal verification: judge a tree from its leaves to its root.

Weng et al. (2025), "Traversal verification for speculative tree decoding", Algorithm 3.
https://arxiv.org/abs/2505.12398
"""

from typing import Any

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep the path to the first leaf that passes; one that fails is taken away.

    Leaves are taken depth first. A path's weight is how much of what q offers there the
    target can use; what a node still wants when a child is gone decides what its other
    children, and then the node itself, are worth. Equal siblings are merged.
    Coins: accept[i] for each node whose turn comes, then sample where the block ends.
    """
    tree = proposal.deduplicated()

    def visit(node: int, weight: Any) -> list[int]:
        """What is emitted from `node` on; nothing where its whole subtree fails."""
        row = weight * p[node + 1]
        for child in tree.children(node):
            x, q = tree.tokens[child], tree.drawn_from[child]
            if block := visit(child, min(1, row[x] / q[x])):
                return [x, *block]
            left = residual(row, q)
            mass = left.sum()
            slack = mass + 1 - weight
            row, weight = left / slack, mass / slack
        if node == -1 or source.accept(node, weight):
            return [source.sample(node + 1, row)]
        return []

    return visit(-1, 1)
