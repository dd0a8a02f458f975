"""One request as a rule from logits sees it: rows are read when they are asked for."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from .reading import Reading
from .row import Row, argmax


class Desk(NamedTuple):
    """Room for one row of the target and one of the draft: all the memory there is."""

    p: Row
    q: Row


class Request:
    """N drafted tokens and their luck; p and q are made into weights row by row.

    A row that was asked for is good until the next of its kind is.

    tokens, parents: of the nodes; accept: a coin by node, sample: by row of p.
    faulty: whether something turned up that no exact run holds.
    """

    def __init__(
        self,
        p: Tensor,
        q: Tensor | None,
        tokens: Sequence[int],
        parents: Sequence[int],
        luck: tuple[Sequence[float], Sequence[float]],
        reading: Reading,
        desk: Desk,
    ):
        self.tokens, self.parents = tokens, parents
        self.accept, self.sample = luck
        self._p, self._q, self._reading, self._desk = p, q, reading, desk
        self._vocab: int = p.shape[-1]
        self.faulty = not all(map(self.is_word, range(len(tokens))))

    def p(self, row: int) -> Row:
        """The target's row 0 at the root, i + 1 after node i."""
        return self._reading.p(self._p[row], self._desk.p)

    def q(self, node: int) -> Row | None:
        """The row the node's token was drawn from; None, and a fault, if it was not."""
        assert self._q is not None
        if self.is_word(node):
            row = self._reading.q(self._q[node], self._desk.q)
            if row.words[self.tokens[node]] > 0:
                return row
        self.faulty = True
        return None

    def is_word(self, node: int) -> bool:
        """Whether the node's token is one."""
        return 0 <= self.tokens[node] < self._vocab

    def drawn(self, row: int) -> int:
        """A word drawn from a row of the target; 0, and a fault, if it has no law."""
        weights = self.p(row)
        self.faulty |= not weights.mass > 0
        return weights.draw(self.sample[row]) if weights.mass > 0 else 0

    def likeliest(self, row: int) -> int:
        """The likeliest word of a row of the target, without making weights of it."""
        logits = self._p[row]
        word = argmax(logits)
        self.faulty |= not bool(logits[word].isfinite())
        return word

    def children(self, nodes: Sequence[int]) -> list[int]:
        """All words that hang below one of these."""
        above = set(nodes)
        hung = (i for i, parent in enumerate(self.parents) if parent in above)
        return [i for i in hung if self.is_word(i)]

    def ends(self, path: Sequence[int], row: Row) -> "Ending":
        """The nodes of `path`, root first, and a word drawn from `row`.

        Where that is empty the row of p there stands in, which is a fault; if it has no
        law either the word is 0.
        """
        at = path[-1] + 1 if path else 0
        if not row.mass > 0:
            self.faulty = True
            row = self.p(at)
        return Ending(path, row.draw(self.sample[at]) if row.mass > 0 else 0)

    def follow(self, word: Callable[[int], int]) -> "Ending":
        """Go down the tree while the word at a row is drafted there; of copies of a
        node the first counts, with the children of all.
        """
        nodes, path = [-1], list[int]()
        while True:
            last = word(nodes[0] + 1)
            nodes = [i for i in self.children(nodes) if self.tokens[i] == last]
            if not nodes:
                return Ending(path, last)
            path.append(nodes[0])


class Ending(NamedTuple):
    """The nodes that are kept, root first, and the word that follows them."""

    path: Sequence[int]
    last: int


Sequential = Callable[[Request], Ending]
"""A rule, for one request."""
