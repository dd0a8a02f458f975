"""Keys and values of a context, and of a tree of tokens on top of it.

The tree shares one pass, each node attending to its ancestors only: Miao et al. 2023,
SpecInfer. https://arxiv.org/abs/2305.09781
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import Config

Array = NDArray[Any]
SLOTS = 256
"""A cache has room for so many tokens at first, and then for twice as many each time.
"""


def ancestry(parents: Sequence[int]) -> NDArray[np.bool_]:
    """Which nodes each node of a tree descends from, itself included: (N, N)."""
    seen = np.eye(len(parents), dtype=np.bool_)
    for node, parent in enumerate(parents):
        if parent >= 0:
            seen[node] |= seen[parent]
    return seen


class Cache:
    """Keys and values of what is kept, and behind them of the tree on top of it.

    kept:    how many tokens are context
    parents: of the nodes of the tree, -1 for the context
    """

    def __init__(self, config: Config, layers: int, dtype: Any):
        self._store = np.empty((layers, 2, config.kv_heads, 0, config.head_dim), dtype)
        self.kept = 0
        self.parents: list[int] = []

    def grow(self, parents: Sequence[int]) -> None:
        """Make room for more nodes. ValueError: a parent that is not an older node."""
        for node, parent in enumerate(parents, len(self.parents)):
            if not -1 <= parent < node:
                raise ValueError(
                    f"the parent of node {node} is {parent}, not in [-1, {node})"
                )
        self.parents += parents
        if self._end > (slots := self._store.shape[3]):
            more = max(self._end - slots, slots, SLOTS)
            room = [(0, more) if axis == 3 else (0, 0) for axis in range(5)]
            self._store = np.pad(self._store, room)

    def put(self, layer: int, keys: Array, values: Array) -> tuple[Array, Array]:
        """Store those of the last n nodes (kv_heads, n, head_dim); all there are."""
        both = self._store[layer, :, :, : self._end]
        both[:, :, self._end - keys.shape[1] :] = keys, values
        return both[0], both[1]

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path` become context, the others are forgotten.

        ValueError: a path that is none.
        """
        for above, node in pairwise([-1, *path]):
            if not (0 <= node < len(self.parents) and self.parents[node] == above):
                raise ValueError(f"nodes {[*path]} are no path from the root down")
        nodes = [self.kept + node for node in path]
        now = self.kept + len(nodes)
        self._store[:, :, :, self.kept : now] = self._store[:, :, :, nodes]
        self.kept, self.parents = now, []

    @property
    def _end(self) -> int:
        return self.kept + len(self.parents)
