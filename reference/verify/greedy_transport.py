"""Conditional transport on hub trees, in closed form: the tree is judged as a whole.

Weng, Hu and Yairi (2026), "UniVer: a unified perspective for multi-step and multi-draft
speculative decoding", casts the verification of trees so.
https://arxiv.org/abs/2605.04543
With one child a node it is block verification: Sun et al. (2024), Algorithm 2.
https://arxiv.org/abs/2403.10444
Why the plan has this form, and why the rule is exact: docs/conditional_transport.md.
"""

from typing import Any

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep a path of the tree, the deepest that passes, then add one token.

    On a chain this is block verification, coin for coin.
    Coins: accept[i] for each node that nothing below is kept of, children first, the
    last child before its siblings; then sample where the block ends.
    """

    def visit(node: int, weight: Any) -> list[int]:
        """What follows `node`, with odds `weight`; otherwise nothing."""
        left, refused = weight * p[node + 1], 1 - weight
        children = proposal.children(node)
        for child in children[-1:] + children[:-1]:
            x, q = proposal.tokens[child], proposal.drawn_from[child]
            offered = (left.sum() + refused) * q
            if below := visit(child, min(1, left[x] / offered[x])):
                return [x, *below]
            left = residual(left, offered)
        if node == -1 or source.accept(node, left.sum() / (left.sum() + refused)):
            return [source.sample(node + 1, left)]
        return []

    return visit(-1, 1)
