"""A speculative cascade on a chain: the draft is believed where it is sure. Lossy.

Narasimhan et al. (2025), "Faster cascades via speculative decoding", section 4, with
the plug-in of its optimal deferral rule. https://arxiv.org/abs/2405.19261
Exact for a mixture of the two models; the target alone is not what it keeps.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from ..probs import Probs, number, residual
from ..proposal import Proposal
from ..randomness import Source
from . import chain


def verify(
    p: Probs, proposal: Proposal, source: Source, *, alpha: Any = Fraction(1, 2)
) -> list[int]:
    """Speculative sampling whose target is q wherever the cascade does not defer to p.

    It defers where max q < max p - alpha TV(p, q): the more alpha, the less often. The
    token after the last drafted one is the target's own.
    Coins: accept[i] for each token looked at, then sample where the block ends.
    """
    drawn, alpha = proposal.drawn_from, number(alpha, p)
    rows = [
        q if q.max() >= row.max() - alpha * residual(row, q).sum() else row
        for row, q in zip(p, drawn, strict=False)
    ]
    return chain.verify(np.array([*rows, p[-1]]), proposal, source)
