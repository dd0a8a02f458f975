"""Drafts that go on from the target's hidden states: EAGLE and multi-token prediction.

A node of such a draft is a token with the features of the position before it. What was
emitted comes with the target's own features; further down the draft uses those it made.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..decode import accepted
from ..probs import Probs
from ..proposal import Proposal
from .growing import Fed


class FeatureModel(Protocol):
    """Rows (n, V) after each of n tokens and their features (n, D), given those before.

    Memory as that of `decode.Model`: what is not kept is forgotten.
    """

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int], features: Probs
    ) -> tuple[Probs, Probs]: ...
    def keep(self, path: Sequence[int]) -> None: ...


class Features:
    """The text that the draft has not read, and the target's features for it.

    A drafted node is never kept: once it is text it is read again, with true features.
    """

    def __init__(self, model: FeatureModel):
        self.model = model
        self._text: Sequence[int] = ()
        self._features: list[Any] = []
        self._read, self._fed = 0, 0
        self._proposal = Proposal([], [], None, "fixed")

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        """Read the prompt. Each token's features go with the token after it."""
        self._features = [*hidden[1:]]
        if self.ready(context):
            self.start()
            self._keep()

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """The features of what was kept, and of the token before it."""
        self._keep()
        path = accepted(self._proposal, emitted)
        self._features += [hidden[node + 1] for node in [-1, *path]]

    def _keep(self) -> None:
        """What was read of the text is context now."""
        self.model.keep(range(self._fed))
        del self._features[: self._fed]
        self._read += self._fed

    def ready(self, context: Sequence[int]) -> bool:
        """Take note of the text; whether there is any to go on from."""
        self._text, self._fed = context[self._read + 1 :], 0
        return len(self._text) > 0

    def proposed(self, proposal: Proposal) -> Proposal:
        """Take note of what is proposed."""
        self._proposal = proposal
        return proposal

    def start(self) -> Fed:
        """Read the text that is new."""
        self._fed = len(self._text)
        above = range(-1, self._fed - 1)
        features = np.stack(self._features[: self._fed])
        rows, made = self.model.extend(self._text, above, features)
        return Fed(self._fed - 1, rows[-1], made[-1])

    def go_on(self, parent: Fed, token: int) -> tuple[Probs, Any]:
        """Read a drafted token, with the features that the draft made before it."""
        rows, made = self.model.extend([token], [parent.node], parent.state[None])
        return rows[-1], made[-1]
