"""Speculative sampling with lenience. Lossy.

Leviathan, Kalman and Matias (2023), "Fast inference from transformers via speculative
decoding", Algorithm 1 with the lenience of appendix A.5.
https://arxiv.org/abs/2211.17192
"""

from fractions import Fraction
from typing import Any

from ..probs import Probs, number, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs, proposal: Proposal, source: Source, *, lenience: Any = Fraction(1, 2)
) -> list[int]:
    """Keep a prefix of the draft as if q were `lenience` times q, then add one token.

    lenience: l in (0, 1]; at 1 this is speculative sampling.

    A token that is looked at has the law a + (1 - sum a) norm((p - l q)+), where
    a = min(q, p / l): at most p / l.
    Coins: accept[i] for each token looked at, then sample where the block ends.
    """
    tokens, q = proposal.tokens, number(lenience, p) * proposal.drawn_from
    for i, x in enumerate(tokens):
        if not source.accept(i, min(1, p[i, x] / q[i, x])):
            return [*tokens[:i], source.sample(i, residual(p[i], q[i]))]
    return [*tokens, source.sample(len(tokens), p[-1])]
