"""Recursive rejection sampling of independent siblings of which the copies are merged.

Miao et al. (2024), "SpecInfer", section 3, merges what was drafted into a token tree.
https://arxiv.org/abs/2305.09781
What is left was drawn without replacement, so the rule is that of Jeon et al. (2024),
"Recursive speculative decoding", Algorithm 1, and not SpecInfer's own, which tests
every copy. https://arxiv.org/abs/2402.14160
"""

from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source
from . import recursive


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Merge equal siblings, then walk down the tree while some child is kept.

    A kept token leads on to the drafts that hung below any of its copies.
    Coins: accept[i] for each first copy looked at, then sample where the walk ends.
    """
    return recursive.verify(p, proposal.deduplicated(), source)
