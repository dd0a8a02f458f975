"""Rotary position embedding: queries and keys turned by angles that grow with position.

Su et al. 2021, https://arxiv.org/abs/2104.09864, in the layout of Hugging Face: the
first half of a head holds the first coordinate of each plane, the second half the
second. Stretched as in Llama 3.1, https://arxiv.org/abs/2407.21783.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .config import Config, Llama3

Array = NDArray[Any]


class Turn(NamedTuple):
    """Cosines and sines (n, 1, head_dim / 2) of the angles at n positions."""

    cos: Array
    sin: Array


def turn(config: Config, positions: Array, dtype: Any) -> Turn:
    """The angles at `positions` (n,), worked out in float64, in `dtype`."""
    angles = positions[:, None, None] * frequencies(config)
    return Turn(np.cos(angles).astype(dtype), np.sin(angles).astype(dtype))


def frequencies(config: Config) -> Array:
    """Radians a position (head_dim / 2,), the fastest first."""
    exponents = np.arange(0, config.head_dim, 2) / config.head_dim
    plain: Array = config.theta**-exponents
    return plain if config.scaling is None else _stretched(plain, config.scaling)


def _stretched(plain: Array, how: Llama3) -> Array:
    turns = how.original * plain / (2 * np.pi)
    share = np.clip((turns - how.low) / (how.high - how.low), 0, 1)
    stretched: Array = plain * (share + (1 - share) / how.factor)
    return stretched


def turned(x: Array, by: Turn) -> Array:
    """The heads x (n, heads, head_dim), those of each position turned by its angles."""
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate(
        [first * by.cos - second * by.sin, second * by.cos + first * by.sin], axis=-1
    )
