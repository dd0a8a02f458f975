"""A small model of the same words: it drafts from its own rows.

Leviathan, Kalman and Matias (2023), Algorithm 1. https://arxiv.org/abs/2211.17192
Chen et al. (2023), "Accelerating large language model decoding with speculative
sampling", Algorithm 2. https://arxiv.org/abs/2302.01318
Trees as in SpecInfer, Miao et al. (2023). https://arxiv.org/abs/2305.09781
"""

from collections.abc import Sequence

from ..decode import Model
from ..probs import Probs
from ..proposal import Kind, Proposal, draft
from ..randomness import Source


class DraftModel:
    """Drafts a chain, or a tree with `branching[d]` children at depth d.

    Each node that has children costs the model one pass. The last token of a draft is
    not fed to it: where all are kept it comes with the next text. What it has seen of
    a rejected draft it forgets.
    """

    def __init__(
        self,
        model: Model,
        branching: tuple[int, ...] | None = None,
        kind: Kind = "iid",
    ):
        self.model, self.branching, self.kind = model, branching, kind
        self._context: Sequence[int] = ()
        self._fed = 0
        self._nodes: dict[tuple[int, ...], tuple[int, Probs]] = {}

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k levels. Coins: those of `proposal.draft`."""
        self._context, self._nodes = context, {}
        shape = (1,) * k if self.branching is None else self.branching[:k]
        return draft(self._row, shape, source, self.kind)

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Keep what was fed and is text now."""
        if not self._nodes:
            return
        ends = (tuple(emitted[:n]) for n in range(1, len(emitted) + 1))
        path = [self._nodes[end][0] for end in ends if end in self._nodes]
        fed = self._nodes[()][0] + 1
        self.model.keep([*range(fed), *path])
        self._fed += fed + len(path)

    def _row(self, prefix: tuple[int, ...]) -> Probs:
        """The row after a drafted prefix; its last token is fed when first asked for"""
        if prefix not in self._nodes:
            self._nodes[prefix] = self._feed(prefix)
        return self._nodes[prefix][1]

    def _feed(self, prefix: tuple[int, ...]) -> tuple[int, Probs]:
        """Node and row of what is fed: the text not seen yet, or a drafted token."""
        if not prefix:
            text = self._context[self._fed :]
            rows, _ = self.model.extend(text, range(-1, len(text) - 1))
            return len(text) - 1, rows[-1]
        parent = self._nodes[prefix[:-1]][0]
        rows, _ = self.model.extend(prefix[-1:], [parent])
        return self._nodes[()][0] + len(self._nodes), rows[-1]
