"""Gumbel coupling on a chain: target and drafter read one race, and may well agree.

Daliri, Musco and Suresh (2024), "Coupling without communication and drafter-invariant
speculative decoding", section 4. https://arxiv.org/abs/2408.07978
argmin e / p over times e of Exp(1) is argmax log p + g over Gumbel noise g = -log e.
"""

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Emit the target's own winners up to the first that differs from the draft.

    Exact for every draft; one that is coupled, that is drawn by the same races, agrees
    with odds sum over x of 1 / sum_z max(p_z / p_x, q_z / q_x). With races keyed by
    absolute position the text does not depend on the drafter.
    Coins: race at each row visited.
    """
    emitted: list[int] = []
    for i, x in enumerate(proposal.tokens):
        emitted.append(source.race(i, p[i]))
        if emitted[-1] != x:
            return emitted
    return [*emitted, source.race(len(proposal.tokens), p[-1])]
