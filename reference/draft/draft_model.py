"""A small model of the same words: it drafts from its own rows.

Leviathan, Kalman and Matias (2023), Algorithm 1. https://arxiv.org/abs/2211.17192
Chen et al. (2023), "Accelerating large language model decoding with speculative
sampling", Algorithm 2. https://arxiv.org/abs/2302.01318
Trees as in SpecInfer, Miao et al. (2023). https://arxiv.org/abs/2305.09781
"""

from collections.abc import Sequence
from typing import Any

from ..decode import Model
from ..probs import Probs
from ..proposal import Kind, Proposal
from ..randomness import Source
from ..trimming import More
from .growing import Fed, Growing
from .lookup import Lookup


class DraftModel(Lookup):
    """Drafts a chain, or a tree with `branching[d]` children at depth d.

    Each node that has children costs the model one pass. The last token of a draft is
    not fed to it: where all are kept it comes with the next text. What it has seen of
    a rejected draft it forgets. `more` may end a chain early.
    """

    def __init__(
        self,
        model: Model,
        branching: tuple[int, ...] | None = None,
        kind: Kind = "iid",
        more: More | None = None,
    ):
        self.model, self.branching = model, branching
        self.kind, self.more = kind, more
        self._text: Sequence[int] = ()
        self._read = 0
        self._growing = Growing(self)

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        """Read the prompt."""
        self.model.extend(context, range(-1, len(context) - 1))
        self.model.keep(range(len(context)))
        self._read = len(context)

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k levels. Coins: those of `proposal.draft`."""
        self._text, self._growing = context[self._read :], Growing(self)
        shape = (1,) * k if self.branching is None else self.branching[:k]
        return self._growing.drawn(shape, source, self.kind, self.more)

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Keep what was fed and is text now."""
        path = self._growing.nodes(emitted)
        self.model.keep(path)
        self._read += len(path)

    def start(self) -> Fed:
        """Read the text that is new."""
        rows, _ = self.model.extend(self._text, range(-1, len(self._text) - 1))
        return Fed(len(self._text) - 1, rows[-1], None)

    def go_on(self, parent: Fed, token: int) -> tuple[Probs, Any]:
        """Read a drafted token."""
        rows, _ = self.model.extend([token], [parent.node])
        return rows[-1], None
