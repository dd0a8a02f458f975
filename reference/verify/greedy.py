"""Exact match at temperature 0: keep the draft while it is what the target would say.

Stern, Shazeer and Uszkoreit (2018), "Blockwise parallel decoding for deep
autoregressive models", section 3. https://arxiv.org/abs/1811.03115
"""

import numpy as np

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Walk down the tree along the target's most likely tokens; ties: the lowest id.

    Coins: none.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        emitted.append(int(np.argmax(p[node + 1])))
        node = proposal.at(emitted)
    return emitted
