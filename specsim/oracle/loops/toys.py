"""What each drafter is made of, in a world of a few words and rational rows.

Hidden states are the text itself, so that a drafter that mistakes one for another is
found out at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from specsim.seam import probs, proposal, table

WORDS = 2
TARGET, DRAFT = table.table(3, WORDS), table.table(30, WORDS)


def states(texts: Sequence[tuple[int, ...]]) -> probs.Probs:
    """Texts as hidden states (n, 1)."""
    made = np.empty((len(texts), 1), object)
    for i, text in enumerate(texts):
        made[i, 0] = text
    return made


class Remembering(table.Table):
    """A table whose hidden states are the texts up to each token."""

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[probs.Probs, probs.Probs]:
        rows, _ = super().extend(tokens, parents)
        nodes = range(len(self._tree.tokens) - len(tokens), len(self._tree.tokens))
        paths = [self._tree.path(node) for node in (-1, *nodes)]
        return rows, states([(*self.context, *path) for path in paths])


class Ahead:
    """A model of features that insists on being shown those of the text before."""

    def __init__(self) -> None:
        self.context: tuple[int, ...] | None = None
        self.tree = proposal.Proposal([], [], None, "fixed")

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int], features: probs.Probs
    ) -> tuple[probs.Probs, probs.Probs]:
        first = len(self.tree.tokens)
        if self.context is None:
            self.context = features[0, 0]
        self.tree.tokens.extend(tokens)
        self.tree.parents.extend(parents)
        nodes = range(first, len(self.tree.tokens))
        for node, (before,) in zip(nodes, features, strict=True):
            assert before == self.text(self.tree.parents[node])
        texts = [self.text(node) for node in nodes]
        return np.array([DRAFT(text) for text in texts]), states(texts)

    def keep(self, path: Sequence[int]) -> None:
        if self.context is not None:
            self.context = self.text(path[-1]) if len(path) else self.context
        self.tree = proposal.Proposal([], [], None, "fixed")

    def text(self, node: int) -> tuple[int, ...]:
        assert self.context is not None
        return (*self.context, *self.tree.path(node))


def heads(hidden: Any) -> probs.Probs:
    """Rows of the tokens after the next, from the text."""
    (text,) = hidden
    return np.array([table.table(40 + head, WORDS)(text) for head in range(3)])


RANKS = [(0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0)]

PARTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "nothing": tuple,
    "a model": lambda: (table.Table(DRAFT),),
    "heads": lambda: (heads, RANKS),
    "features": lambda: (Ahead(),),
}
"""From what a drafter needs to the arguments of its constructor."""
