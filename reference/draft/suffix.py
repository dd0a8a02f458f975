"""Suffix decoding: the likeliest continuations of the longest words seen before.

Oliaro, Jia, Campos and Qiao (2024), "SuffixDecoding: extreme speculative decoding for
emerging AI applications". https://arxiv.org/abs/2411.04975
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from ..proposal import Proposal
from ..randomness import Source
from .lookup import Lookup


@dataclass
class Node:
    """Some words, how often they were seen, and each token that followed them."""

    count: int = 0
    after: dict[int, "Node"] = field(default_factory=dict)


class Suffixes:
    """A trie of every run of up to `depth` tokens of the texts put in."""

    def __init__(self, depth: int):
        self.root, self.depth = Node(), depth
        self._open: list[Node] = []

    def add(self, token: int) -> None:
        """Go on with the text by one token."""
        self.root.count += 1
        grown = []
        for node in (self.root, *self._open):
            node = node.after.setdefault(token, Node())
            node.count += 1
            grown.append(node)
        self._open = grown[: self.depth - 1]

    def end(self) -> None:
        """The text is over; another begins."""
        self._open = []

    def ends(self, text: Sequence[int]) -> Iterator[tuple[int, Node]]:
        """How many last tokens of `text` stand here, and their node, shortest first."""
        for n in range(1, min(self.depth - 1, len(text)) + 1):
            if (node := self._find(text[len(text) - n :])) is None:
                return
            if node.after:
                yield n, node

    def _find(self, words: Sequence[int]) -> Node | None:
        node: Node | None = self.root
        for token in words:
            if node is None:
                return None
            node = node.after.get(token)
        return node


@dataclass(frozen=True)
class Candidate:
    """A tree of continuations, and how many of its tokens are expected to be kept."""

    tokens: list[int]
    parents: list[int]
    expected: float


class Suffix(Lookup):
    """Drafts the tree whose expected length is greatest, over patterns and texts.

    The texts are this one (prompt and output) and, in a trie shared by whoever passes
    it on, earlier outputs. After a match of n tokens the tree has at most `factor` * n
    nodes, the likeliest by counts, each no less likely than `least`.

    depth:  the longest run of tokens counted, match and continuation together.
    shared: a trie of earlier outputs; this text is not put in, see `Suffixes.add`.
    """

    def __init__(
        self,
        depth: int = 24,
        factor: float = 2.0,
        least: float = 0.1,
        shared: Suffixes | None = None,
    ):
        self.factor, self.least = factor, least
        self.own = Suffixes(depth)
        self.shared = shared
        self._seen = 0

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """A tree of at most k levels; no coins."""
        for token in context[self._seen :]:
            self.own.add(token)
        self._seen = len(context)
        tries = [self.own, self.shared] if self.shared else [self.own]
        found = [
            self._grown(node, int(self.factor * n), k)
            for trie in tries
            for n, node in trie.ends(context)
        ]
        best = max(found, key=lambda one: one.expected, default=Candidate([], [], 0))
        return Proposal(best.tokens, best.parents, None, "fixed")

    def _grown(self, start: Node, most: int, k: int) -> Candidate:
        """The `most` likeliest nodes below `start`, likeliest first, lowest of equals.

        A child is never likelier than its parent, so parents come first.
        """
        tokens: list[int] = []
        parents: list[int] = []
        expected, heap = 0.0, self._children(start, 1.0, 0, -1)
        while heap and len(tokens) < most:
            minus, level, token, parent, node = heappop(heap)
            if level > k:
                continue
            expected -= minus
            tokens.append(token)
            parents.append(parent)
            for child in self._children(node, -minus, level, len(tokens) - 1):
                heappush(heap, child)
        return Candidate(tokens, parents, expected)

    def _children(
        self, node: Node, likely: float, level: int, at: int
    ) -> list[tuple[float, int, int, int, Node]]:
        shares = (
            (likely * child.count / node.count, token, child)
            for token, child in node.after.items()
        )
        return sorted(
            (-share, level + 1, token, at, child)
            for share, token, child in shares
            if share >= self.least
        )
