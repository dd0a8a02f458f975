"""Blocks as numbers that are uniform if the engine is right.

A token x drawn from a row p, spread evenly over its part of the running sum, is uniform
on [0, 1) whatever p is (the randomised probability integral transform). Given what came
before and that it was emitted at all, that holds of every token of a lossless block:
see oracle/evidence.py.
"""

from collections.abc import Sequence

import numpy as np

from specsim.oracle.independence.lags import Array
from specsim.oracle.worlds import World
from specsim.seam import table

WIDE = 32
"""Words of the long tail, by which a draw shows its uniform."""


def telling() -> World:
    """A chain of two in which tokens tell coins.

    Half the drafts are refused, whatever the token, and what takes their place has as
    many equally likely words as can be: the first tile or two say whether the coin was
    under a half, the others what the second coin was.
    """
    row = [WIDE // 2] * 2 + [1] * WIDE
    half = [1, 1] + [0] * WIDE
    last = [0, 0] + [1] * WIDE
    target = table.constant(row, row, last)
    return World("telling", len(row), target, table.constant(half), (1, 1))


def uniforms(world: World, block: Sequence[int], rng: np.random.Generator) -> Array:
    """One number a token, NaN behind the block's end: (K + 1,)."""
    u = np.full(len(world.branching) + 1, np.nan)
    for i, token in enumerate(block):
        row = world.truth(tuple(block[:i])).astype(float)
        u[i] = min(row[:token].sum() + row[token] * rng.random(), 1 - 2.0**-53)
    return u
