"""Sampler match on a chain: sample the target as ever, keep going while it agrees.

The sampling form of exact match that engines with a seeded target sampler use; compare
Leviathan, Kalman and Matias (2023), section 2.3, for the rule that looks at q as well.
https://arxiv.org/abs/2211.17192
"""

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Emit the target's own draws up to the first that differs from the draft.

    With coins keyed by absolute position the text does not depend on the drafter.
    Coins: sample at each row visited.
    """
    emitted: list[int] = []
    for i, x in enumerate(proposal.tokens):
        emitted.append(source.sample(i, p[i]))
        if emitted[-1] != x:
            return emitted
    return [*emitted, source.sample(len(proposal.tokens), p[-1])]
