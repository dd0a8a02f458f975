"""Medusa: heads on the last hidden state guess the tokens after the next.

Cai et al. (2024), "Medusa: simple LLM inference acceleration framework with multiple
decoding heads", sections 3.1 and 3.3. https://arxiv.org/abs/2401.10774
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..decode import accepted
from ..probs import Probs, top
from ..proposal import Proposal, trie
from ..randomness import Source

Ranks = tuple[int, ...]
"""A node of the tree: for each head down to it, the rank of the head's token."""

Heads = Callable[[Any], Probs]
"""Hidden state (D,) to a row for each head (H, V)."""


class Medusa:
    """One tree of ranks, filled with what the heads find likeliest.

    Given the hidden state, heads do not see one another's tokens, so a path has no law
    of its own and is fixed, not drawn.
    """

    def __init__(self, heads: Heads, tree: Iterable[Ranks]):
        self.heads, self.tree = heads, [*tree]
        self.width = 1 + max((rank for ranks in self.tree for rank in ranks), default=0)
        self._hidden: Any = None
        self._proposal = trie([])

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        """The heads can guess from the token before the last."""
        if context:
            self._hidden = hidden[-1]

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k levels; no coins."""
        self._proposal = trie([] if self._hidden is None or not k else self._paths(k))
        return self._proposal

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Go on from the last token that was kept."""
        path = accepted(self._proposal, emitted)
        self._hidden = hidden[path[-1] + 1 if path else 0]

    def _paths(self, k: int) -> Iterable[list[int]]:
        words = [top(row, self.width) for row in self.heads(self._hidden)[:k]]
        for ranks in self.tree:
            pairs = [*zip(words, ranks, strict=False)]
            if len(pairs) == len(ranks) and all(r < len(found) for found, r in pairs):
                yield [found[rank] for found, rank in pairs]


def likeliest(accuracies: Probs, nodes: int) -> list[Ranks]:
    """The tree of so many nodes that is expected to be followed furthest.

    accuracies (H, R): how often the token of rank r of head h is the right one. A node
    is worth the product of those down to it; the best are taken, of equals the first.
    """
    chosen: list[Ranks] = []
    open_: dict[Ranks, Any] = {(0,): accuracies[0][0]}
    while open_ and len(chosen) < nodes:
        best = max(open_, key=lambda ranks: open_[ranks])
        worth = open_.pop(best)
        chosen.append(best)
        head, rank = len(best) - 1, best[-1]
        if rank + 1 < len(accuracies[head]) and accuracies[head][rank]:
            aside = worth / accuracies[head][rank] * accuracies[head][rank + 1]
            open_[(*best[:-1], rank + 1)] = aside
        if head + 1 < len(accuracies):
            open_[(*best, 0)] = worth * accuracies[head + 1][0]
    return chosen
