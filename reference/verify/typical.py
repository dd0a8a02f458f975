"""Typical acceptance on a tree: keep what the target does not find unlikely. Lossy.

Cai et al. (2024), "Medusa: simple LLM inference acceleration framework with multiple
decoding heads", section 2.3.1. https://arxiv.org/abs/2401.10774
"""

from math import exp, sqrt

import numpy as np

from ..probs import Probs, entropy
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs,
    proposal: Proposal,
    source: Source,
    *,
    eps: float = 0.3,
    delta: float | None = None,
) -> list[int]:
    """Keep the first of the longest paths of typical tokens; then the likeliest.

    A token x is typical where p(x) > min(eps, delta exp(-H(p))), with H in nats.
    delta: sqrt(eps) unless given. Medusa's code has eps 0.09, and takes the likeliest
           of the longest paths.

    What is kept depends on no coin: floats decide it, and the odds stay exact. With one
    drafted token, q's law holds where typical, and all else goes to the likeliest.
    Coins: none.
    """
    depth = {-1: 0}
    for i, parent in enumerate(proposal.parents):
        row = np.asarray(p[parent + 1], dtype=float)
        if parent in depth and row[proposal.tokens[i]] > _floor(row, eps, delta):
            depth[i] = depth[parent] + 1
    end = max(depth, key=lambda node: depth[node])
    return [*proposal.path(end), int(np.argmax(p[end + 1]))]


def _floor(row: Probs, eps: float, delta: float | None) -> float:
    """What a typical token's probability exceeds."""
    return min(eps, (sqrt(eps) if delta is None else delta) * exp(-entropy(row)))
