"""EAGLE-1: a tree drawn from a layer that goes on from the target's features.

Li, Wei, Zhang and Zhang (2024), "EAGLE: speculative sampling requires rethinking
feature uncertainty", section 3. https://arxiv.org/abs/2401.15077
"""

from collections.abc import Sequence

from ..proposal import Kind, Proposal
from ..randomness import Source
from .features import FeatureModel, Features
from .growing import Growing


class Eagle(Features):
    """A tree of one shape, `branching[d]` children at depth d, drawn without putting
    back; at temperature 0, where a row holds one word, let kind be "fixed" and the rows
    be those of a higher temperature.
    """

    def __init__(
        self,
        model: FeatureModel,
        branching: tuple[int, ...] = (4, 2, 2, 1, 1),
        kind: Kind = "without_replacement",
    ):
        super().__init__(model)
        self.branching, self.kind = branching, kind

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k levels. Coins: those of `proposal.draft`."""
        shape = self.branching[:k] if self.ready(context) else ()
        drawn = Growing(self).drawn(shape, source, self.kind, None)
        return self.proposed(drawn)
