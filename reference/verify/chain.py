"""Speculative sampling on a chain.

Leviathan, Kalman and Matias (2023), "Fast inference from transformers via speculative
decoding", Algorithm 1. https://arxiv.org/abs/2211.17192
Chen et al. (2023), "Accelerating large language model decoding with speculative
sampling", Algorithm 2, is the same rule with the letters p and q exchanged.
https://arxiv.org/abs/2302.01318
"""

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep a prefix of the draft, then add one token of the target's own.

    Coins: accept[i] for each token looked at, then sample where the block ends.

    >>> from reference.randomness import replay
    >>> p = np.array([[0.5, 0.5], [0.2, 0.8]])
    >>> proposal = Proposal([0], [-1], np.array([[0.9, 0.1]]))
    >>> verify(p, proposal, replay([0.55], [0.5, 0.5]))  # 0.55 < 0.5/0.9: kept
    [0, 1]
    >>> verify(p, proposal, replay([0.56], [0.5, 0.5]))  # refused, and corrected
    [1]
    """
    tokens, q = proposal.tokens, proposal.drawn_from
    for i, x in enumerate(tokens):
        if not source.accept(i, min(1, p[i, x] / q[i, x])):
            return [*tokens[:i], source.sample(i, residual(p[i], q[i]))]
    return [*tokens, source.sample(len(tokens), p[-1])]
