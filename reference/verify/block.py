"""Block verification: judge the drafted chain as a whole.

Sun et al. (2024), "Block verification accelerates speculative decoding", Algorithm 2.
https://arxiv.org/abs/2403.10444
"""

import numpy as np

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Keep the longest prefix that passes, then add one token.

    Coins: accept[i] for every drafted token, then sample where the block ends.
    """
    tokens, q = proposal.tokens, proposal.drawn_from
    kept, weight = 0, 1
    left = residual(p[0], q[0]) if tokens else p[0]
    for i, x in enumerate(tokens):
        weight = min(1, weight * p[i, x] / q[i, x])
        if i + 1 == len(tokens):
            excess, pass_prob = p[i + 1], weight
        else:
            excess = np.maximum(weight * p[i + 1] - q[i + 1], 0)
            slack = excess.sum() + 1 - weight
            pass_prob = excess.sum() / slack if slack else 1
        if source.accept(i, pass_prob):
            kept, left = i + 1, excess
    return [*tokens[:kept], source.sample(kept, left)]
