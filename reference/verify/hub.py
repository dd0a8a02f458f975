"""Multi-draft sampling from a hub: all siblings fixed but one, which is drawn.

Two siblings: Sun et al. (2024), "SpecHub: provable acceleration to multi-draft
speculative decoding". https://arxiv.org/abs/2411.05289
Any number, as greedy drafts: Hu et al. (2025), "Towards optimal multi-draft speculative
decoding". https://arxiv.org/abs/2502.18779
The drawn child is judged as on a chain: Leviathan et al. (2023), Algorithm 1.
https://arxiv.org/abs/2211.17192
"""

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Turn the drawn child into a token of the target's; while it is a child, go there.

    The drawn child comes last. Of all rules that look one level ahead, none goes on
    more often: with odds p(fixed) + sum min(p, q) over the other tokens.
    Coins: accept[i] for the last child of each node visited, then sample there if it is
    refused or there is none.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        emitted.append(_token(p, proposal, node, source))
        node = proposal.at(emitted)
    return emitted


def _token(p: Probs, proposal: Proposal, node: int, source: Source) -> int:
    """A token of the target's own after `node`, the drawn child's if possible."""
    row = p[node + 1]
    for drawn in proposal.children(node)[-1:]:
        x, q = proposal.tokens[drawn], proposal.drawn_from[drawn]
        if source.accept(drawn, min(1, row[x] / q[x])):
            return x
        row = residual(row, q)
    return source.sample(node + 1, row)
