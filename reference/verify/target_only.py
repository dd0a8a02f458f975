"""Target-only tree sampling: the target draws, the tree only says how far it may go.

Miao et al. (2024), "SpecInfer", section 4.3, where it is called naive sampling.
https://arxiv.org/abs/2305.09781
"""

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Draw from the target; while the token is a child in the tree, go there.

    Exact for every tree, however it was built; q is not looked at.
    Coins: sample at each row visited.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        emitted.append(source.sample(node + 1, p[node + 1]))
        node = proposal.at(emitted)
    return emitted
