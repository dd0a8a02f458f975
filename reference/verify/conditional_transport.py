"""Conditional transport on any drafted tree, with an exact optimal plan at each node.

Weng, Hu and Yairi (2026), "UniVer: a unified perspective for multi-step and multi-draft
speculative decoding", casts the verification of trees so.
https://arxiv.org/abs/2605.04543
With one child a node it is block verification: Sun et al. (2024), Algorithm 2.
https://arxiv.org/abs/2403.10444
The plan is a maximum flow over all tuples of siblings: this is for small vocabularies.
Why the rule is exact: docs/conditional_transport.md.
"""

from typing import Any

import numpy as np

from ..probs import Probs, residual
from ..proposal import Kind, Proposal
from ..randomness import Source
from ..remembered import remembered
from ..transport import Tuples, plan, siblings


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep a path of the tree, the deepest that passes, then add one token.

    Siblings with the same token are one node, which has the children of all.
    Coins: accept[i] for each node that nothing below is kept of, children first, in the
    order drafted (of equal siblings, the first one's); then sample where the block
    ends.
    """

    def visit(equals: list[int], weight: Any) -> list[int]:
        """What follows the node, with odds `weight`; otherwise nothing."""
        node = equals[0]
        children = [child for copy in equals for child in proposal.children(copy)]
        drafted = tuple(proposal.tokens[child] for child in children)
        wanted, q = weight * p[node + 1], _row(proposal, children)
        shares, left = _transport(wanted, q, drafted, proposal.kind)
        room = 1
        for x, share in shares.items():
            same = [child for child in children if proposal.tokens[child] == x]
            if share and (below := visit(same, share / room)):
                return [x, *below]
            room = room - share
        mass = left.sum()
        if node == -1 or source.accept(node, mass / (mass + 1 - weight)):
            return [source.sample(node + 1, left)]
        return []

    return visit([-1], 1)


def _row(proposal: Proposal, children: list[int]) -> Probs | None:
    """What says how the children came about: the first one's row, in a hub the last
    one's; None where nothing was drawn.
    """
    if proposal.kind == "fixed" or not children:
        return None
    row: Probs = proposal.drawn_from[children[-1 if proposal.kind == "hub" else 0]]
    return row


@remembered
def _transport(
    wanted: Probs, q: Probs | None, drafted: tuple[int, ...], kind: Kind
) -> tuple[dict[int, Any], Probs]:
    """The odds with which each drafted token is kept, and what else is wanted."""
    here, law = tuple(sorted(drafted)), _law(q, drafted, kind)
    flow, _ = plan(wanted, law)
    served = 0 * wanted
    for (_, x), mass in flow.items():
        served[x] += mass
    none = 0 * wanted[0]
    shares = {x: flow.get((here, x), none) / law.get(here, 0) for x in drafted}
    return shares, residual(wanted, served)


def _law(q: Probs | None, drafted: tuple[int, ...], kind: Kind) -> Tuples:
    """The law of the siblings' tokens, each tuple sorted."""
    if q is None:
        return {tuple(sorted(drafted)): 1}
    if kind == "hub":
        fixed = drafted[:-1]
        return {tuple(sorted((*fixed, int(x)))): q[x] for x in np.flatnonzero(q)}
    return siblings(q, len(drafted), kind)
