"""nunspark's `sample_accepted_path`, behind the contract: siblings are independent.

It draws by MLX, whose uniforms and categorical draws are exchanged for the call, and
turns each uniform into a float, which one that is not drawn yet cannot be.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import mlx.core as mx
import numpy as np
from nunspark import tree_spec

from specsim.oracle.readings.uniforms import Uniform

Array = np.ndarray[Any, Any]


class Tree:
    """One block of a tree. Nodes are counted from 1 here, 0 is the root."""

    kinds = frozenset({"iid"})

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        below = {
            node + 1: [int(child) + 1 for child in np.flatnonzero(parents == node)]
            for node in range(-1, len(tokens))
        }
        shape = SimpleNamespace(children=below)
        drafts = {node: rows(q[kids[0] - 1]) for node, kids in below.items() if kids}
        target = {node: rows(p[node]) for node in below}
        names = {node + 1: int(token) for node, token in enumerate(tokens)}
        with given(rng):
            kept, last, _ = tree_spec.sample_accepted_path(
                shape, names, drafts, target, temp=1.0
            )
        return [*map(int, kept), int(last)]


def rows(row: Array) -> mx.array:
    """The logarithms of a row (V,)."""
    with np.errstate(divide="ignore"):
        return mx.array(np.log(row).astype(np.float32))


@contextmanager
def given(rng: Any) -> Iterator[None]:
    """For the time of the block, mx.random draws from rng."""

    def uniform(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(item=rng.random)

    def categorical(scores: mx.array, *_: Any, **__: Any) -> Any:
        odds = np.array(mx.softmax(scores), dtype=float)
        drawn = rng.choice(len(odds), p=odds / odds.sum())
        return SimpleNamespace(item=lambda: drawn)

    with (
        patch.object(mx.random, "uniform", uniform),
        patch.object(mx.random, "categorical", categorical),
        patch.object(tree_spec, "float", number, create=True),
    ):
        yield


def number(x: Any) -> Any:
    return x if isinstance(x, Uniform) else float(x)
