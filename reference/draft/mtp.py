"""Multi-token prediction: one module, used again and again, draws a chain.

DeepSeek-AI (2024), DeepSeek-V3 Technical Report, section 2.2: the module is trained for
the second token ahead; drafting further from its own features is what engines do.
https://arxiv.org/abs/2412.19437
"""

from collections.abc import Sequence

from ..proposal import Proposal
from ..randomness import Source
from ..trimming import More
from .features import FeatureModel, Features
from .growing import Growing


class Mtp(Features):
    """Draws a chain; `more` may end it early."""

    def __init__(self, model: FeatureModel, more: More | None = None):
        super().__init__(model)
        self.more = more

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k tokens. Coins: draft[i] for token i."""
        shape = (1,) * k if self.ready(context) else ()
        return self.proposed(Growing(self).drawn(shape, source, "iid", self.more))
