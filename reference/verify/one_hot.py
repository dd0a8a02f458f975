"""Speculative sampling of a draft taken as certain: q is one-hot at each token.

Leviathan, Kalman and Matias (2023), Algorithm 1 with q(x) = 1: what n-gram and prompt
lookup drafts need. https://arxiv.org/abs/2211.17192
"""

from ..probs import Probs, without
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep each token with the target's own probability, else draw another one.

    Exact for every draft, drawn or not; q is not looked at.
    Coins: accept[i] for each token looked at, then sample where the block ends.
    """
    tokens = proposal.tokens
    for i, x in enumerate(tokens):
        if not source.accept(i, p[i, x]):
            return [*tokens[:i], source.sample(i, without(p[i], x))]
    return [*tokens, source.sample(len(tokens), p[-1])]
