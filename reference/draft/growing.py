"""A draft that grows token by token on a model with a memory of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..probs import Probs
from ..proposal import Kind, Proposal, draft
from ..randomness import Source
from ..trimming import More

Path = tuple[int, ...]


class Fed(NamedTuple):
    """A token that the model was fed: its node, the row after it, and its state."""

    node: int
    row: Probs
    state: Any


class Drafting(Protocol):
    """What drafts: `start` feeds it the text, `go_on` a token below one fed before."""

    def start(self) -> Fed: ...
    def go_on(self, parent: Fed, token: int) -> tuple[Probs, Any]: ...


class Growing:
    """Rows after drafted prefixes; a token is fed when the row after it is asked for"""

    def __init__(self, model: Drafting):
        self._model = model
        self._fed: dict[Path, Fed] = {}

    def row(self, prefix: Path) -> Probs:
        """The row after a prefix whose own beginning was asked for before."""
        if prefix not in self._fed:
            self._fed[prefix] = self._feed(prefix)
        return self._fed[prefix].row

    def _feed(self, prefix: Path) -> Fed:
        if not prefix:
            return self._model.start()
        row, state = self._model.go_on(self._fed[prefix[:-1]], prefix[-1])
        return Fed(self._fed[()].node + len(self._fed), row, state)

    def nodes(self, emitted: Sequence[int]) -> list[int]:
        """Those of the text, which come first, and of what was fed of `emitted`."""
        if not self._fed:
            return []
        ends = (tuple(emitted[:n]) for n in range(1, len(emitted) + 1))
        path = [self._fed[end].node for end in ends if end in self._fed]
        return [*range(self._fed[()].node + 1), *path]

    def drawn(
        self, shape: tuple[int, ...], source: Source, kind: Kind, more: More | None
    ) -> Proposal:
        """A tree of that shape; a chain goes no further than `more` lets it.

        Coins: those of `proposal.draft`.
        """
        seen: list[Probs] = []

        def row(prefix: Path) -> Probs:
            seen.append(self.row(prefix))
            ends = more is not None and not more(prefix, np.array(seen))
            return 0 * seen[-1] if ends else seen[-1]

        return draft(row, shape, source, kind)
