"""What a drafter proposes: a tree of tokens, and how its siblings came about."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from .probs import Probs, one_hot, without
from .randomness import Source

Rows = Callable[[tuple[int, ...]], Probs]
"""A language model seen from here: tokens in, next-token probabilities (V,) out."""

Kind = Literal["fixed", "iid", "without_replacement", "hub", "coupled"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Proposal(NamedTuple):
    """N drafted tokens. A chain is a tree in which each node has one child.

    tokens:  (N,)   the drafted token ids
    parents: (N,)   index of each token's parent; -1 is the root (the context)
    q:       (N, V) the row each token was drawn from; None where kind is "fixed"
    kind:    how siblings came about: no luck at all, independently (a sampled chain is
             the one-child case), without replacement in the order drawn, all but the
             last fixed and the last drawn from the rest, or independently by races
             that the target may read as well
    """

    tokens: list[int]
    parents: list[int]
    q: Probs | None
    kind: Kind = "iid"

    @property
    def drawn_from(self) -> Probs:
        """q, for rules that need it: (N, V). ValueError where there is none."""
        if self.q is None:
            raise ValueError(f"a {self.kind} proposal has no q: use a rule without one")
        return self.q

    def children(self, node: int) -> list[int]:
        return [i for i, parent in enumerate(self.parents) if parent == node]

    def path(self, node: int) -> tuple[int, ...]:
        """The tokens from the root down to `node`."""
        if node == -1:
            return ()
        return (*self.path(self.parents[node]), self.tokens[node])

    def at(self, path: Sequence[int]) -> int | None:
        """The first node that the tokens `path` lead to, through whichever copies."""
        nodes = range(-1, len(self.tokens))
        return next((i for i in nodes if self.path(i) == tuple(path)), None)

    def deduplicated(self) -> "Proposal":
        """Equal siblings made one: the first, with the children of all of them.

        Nodes keep their numbers, and so their rows and coins; a copy hangs below
        itself, out of reach. What is left of independent siblings was drawn without
        replacement (whether there is another one does not depend on which it is), and
        q says so.
        """
        paths = [self.path(i) for i in range(len(self.tokens))]
        first = {(): -1} | {path: i for i, path in reversed([*enumerate(paths)])}
        parents = [
            first[path[:-1]] if first[path] == i else i for i, path in enumerate(paths)
        ]
        tree = self._replace(parents=parents)
        return tree if self.q is None else tree._replace(q=_unserved(tree, self.q))


def _unserved(tree: Proposal, q: Probs) -> Probs:
    """The rows q, from each the tokens of elder siblings taken out, if any are in."""
    q = q.copy()
    for i, parent in enumerate(tree.parents):
        elder = [tree.tokens[j] for j in tree.children(parent) if j < i]
        if q[i, elder].any():
            q[i, elder] = 0
            q[i] /= q[i].sum()
    return q


def chain(tokens: Sequence[int]) -> Proposal:
    """A chain of tokens that took no luck to find."""
    return Proposal([*tokens], [*range(-1, len(tokens) - 1)], None, "fixed")


def trie(paths: Iterable[Sequence[int]]) -> Proposal:
    """The tree of these paths from the root, equal beginnings shared; no luck in it.

    >>> trie([[5, 6], [5, 7]])[:2]
    ([5, 6, 7], [-1, 0, 0])
    """
    nodes: dict[tuple[int, ...], int] = {(): -1}
    for path in paths:
        for end in range(len(path)):
            nodes.setdefault(tuple(path[: end + 1]), len(nodes) - 1)
    ends = list(nodes)[1:]
    tokens, parents = [end[-1] for end in ends], [nodes[end[:-1]] for end in ends]
    return Proposal(tokens, parents, None, "fixed")


def draft(
    rows: Rows, branching: tuple[int, ...], source: Source, kind: Kind = "iid"
) -> Proposal:
    """Draft a tree with `branching[d]` children at depth d, siblings as `kind` says.

    Coins: draft[i] for every node that is drawn; where they are coupled race[d] for
    those at depth d, the n-th of which runs with words n V to n V + V - 1. Where the
    support of a row runs out, a node has fewer children.
    """
    tokens: list[int] = []
    parents: list[int] = []
    q: list[Probs] = []
    level: list[tuple[int, tuple[int, ...]]] = [(-1, ())]
    for depth, width in enumerate(branching):
        below: list[tuple[int, tuple[int, ...]]] = []
        for node, prefix in level:
            for row in _siblings(rows(prefix), width, kind, tokens):
                if kind == "coupled":
                    tokens.append(_raced(depth, len(below), row, source))
                else:
                    tokens.append(source.draft(len(tokens), row))
                below.append((len(tokens) - 1, (*prefix, tokens[-1])))
                parents.append(node)
                q.append(row)
        level = below
    return Proposal(tokens, parents, None if kind == "fixed" else np.array(q), kind)


def _raced(depth: int, n: int, row: Probs, source: Source) -> int:
    """The winner of the race at that depth, run with the n-th V of its words alone."""
    before = np.tile(0 * row, n)
    return source.race(depth, np.append(before, row)) - len(before)


def _siblings(row: Probs, width: int, kind: Kind, tokens: list[int]) -> Iterator[Probs]:
    """The row each of up to `width` siblings is drawn from; one-hot where it is fixed.

    `tokens` grows as siblings are drawn: its last entry is the sibling before.
    """
    for n in range(width):
        if not row.any():
            return
        fixed = kind == "fixed" or (kind == "hub" and n + 1 < width)
        yield one_hot(int(np.argmax(row)), row) if fixed else row / row.sum()
        if kind not in ("iid", "coupled"):
            row = without(row, tokens[-1])


def score(rows: Rows, proposal: Proposal) -> Probs:
    """Target probabilities (N + 1, V): row 0 at the root, row i + 1 after node i."""
    return np.array([rows(proposal.path(i)) for i in range(-1, len(proposal.tokens))])
