"""Relaxed acceptance on a chain: exact match that lets near misses pass. Lossy.

What TensorRT-LLM does while a reasoning model thinks (relaxed_topk, relaxed_delta). It
relaxes the exact match of Stern, Shazeer and Uszkoreit (2018), "Blockwise parallel
decoding for deep autoregressive models", section 5, where the top k are let pass.
https://arxiv.org/abs/1811.03115
"""

import numpy as np

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs, proposal: Proposal, source: Source, *, top: int = 2, delta: float = 0.25
) -> list[int]:
    """Keep a prefix of near misses, then add the target's most likely token.

    x is one if fewer than `top` tokens are likelier and max p - p(x) <= delta; top 1,
    or delta 0, is exact match but for ties. TensorRT-LLM's guide has top 10, delta 0.6.

    With one drafted token, q's law holds on near misses, and all else goes to the
    likeliest. ValueError: a top or a delta that cannot be.
    Coins: none.
    """
    if top < 1 or not 0 <= delta <= 1:
        raise ValueError(f"top {top}, delta {delta}: 1 or more, and 0 to 1")
    kept = 0
    while kept < len(proposal.tokens) and _near(
        p[kept], proposal.tokens[kept], top, delta
    ):
        kept += 1
    return [*proposal.tokens[:kept], int(np.argmax(p[kept]))]


def _near(row: Probs, x: int, top: int, delta: float) -> bool:
    likelier = int((row > row[x]).sum())
    return likelier < top and bool(row.max() - row[x] <= delta)
