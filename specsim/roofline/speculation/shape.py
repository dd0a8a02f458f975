"""The form of a draft: a chain of tokens, or a tree of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim import seam
from specsim.errors import Bad
from specsim.roofline.speculation.acceptance import Acceptance, Alike, Emitted, ranks
from specsim.roofline.work import Amount

MOST = 1_000_000_000
"""Numbers that are counts end here."""
LARGEST_TREE = 4096


@dataclass(frozen=True)
class Shape:
    """`nodes` drafted tokens, of which at most `depth` follow one another.

    tree:    whether they branch; a chain has as many nodes as it is deep.
    parents: of each node, -1 for the root; None of a chain, and of a tree of which
        nothing but its size is known.
    """

    nodes: Amount
    depth: Amount
    tree: bool = False
    parents: tuple[int, ...] | None = None

    @property
    def width(self) -> Amount:
        """Tokens side by side, on average over the levels."""
        return -(-self.nodes // np.maximum(self.depth, 1)) if self.tree else 1


def shaped(k: Any, tree: "int | Sequence[int] | Shape", given: Acceptance) -> Shape:
    """A chain of k where tree is 0, else the tree of these parents or so many nodes.

    Of so many nodes: the one at most k deep that emits most at the alpha given. Arrays
    of k are chains.
    """
    if isinstance(tree, Shape):
        return tree
    depth = whole("k", k, 0)
    if not isinstance(tree, int | np.integer):
        parents = tuple(tree)
        return Shape(len(parents), _depth(parents), True, parents)
    if not (nodes := whole("tree", tree, 0)):
        return Shape(depth, depth)
    if nodes > LARGEST_TREE:
        raise Bad(f"tree {nodes}: at most {LARGEST_TREE:,} nodes")
    if isinstance(given, Emitted):
        return Shape(nodes, depth, True)
    if np.ndim(depth):
        raise Bad("a tree goes with one k, how deep it may be: ask once for each")
    return best_tree(given, nodes, depth)


def best_tree(given: Acceptance, nodes: int, depth: int | None = None) -> Shape:
    """The tree of so many nodes that emits most at this alpha.

    >>> best_tree(Alike(0.5), 4).parents
    (-1, 0, 1, -1)
    """
    if not isinstance(given, Alike) or np.ndim(given.alpha):
        raise Bad("a tree is grown for one alpha: ask once for each")
    if not given.alpha:
        raise Bad("alpha 0: no tree is better than another")
    parents = tuple(seam.reference("trees").best(ranks(given), nodes, depth))
    return Shape(len(parents), _depth(parents), True, parents)


def _depth(parents: Sequence[int]) -> int:
    try:
        paths = seam.reference("trees").walked(parents)
    except (TypeError, ValueError) as error:
        raise Bad(f"tree {str(list(parents))[:60]}: {error}") from None
    if not paths or len(paths) > LARGEST_TREE:
        raise Bad(f"a tree has from 1 to {LARGEST_TREE:,} nodes")
    return max(map(len, paths))


def whole(name: str, value: Any, least: int) -> Amount:
    """Whole numbers from `least` to a billion; arrays welcome."""
    try:
        given = np.asarray(value)
    except ValueError:
        given = np.array(None)
    fine = given.dtype.kind in "iuf" and given.size > 0
    if not (
        fine and np.all((given >= least) & (given <= MOST) & (given == np.floor(given)))
    ):
        raise Bad(f"{name} {value!r}: give whole numbers from {least} to {MOST:,}")
    found = given.astype(np.int64)
    return found if found.ndim else int(found)
