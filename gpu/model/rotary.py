"""Rotary position embedding, batched: the twin of reference/model/rotary."""

from math import pi
from typing import NamedTuple

import torch
from torch import Tensor

from .config import Config


class Turn(NamedTuple):
    """Cosines and sines (B, n, 1, head_dim / 2) of the angles at B n positions."""

    cos: Tensor
    sin: Tensor


def turn(config: Config, positions: Tensor, dtype: torch.dtype) -> Turn:
    """The angles at `positions` (B, n), worked out in float64, in `dtype`."""
    angles = positions[:, :, None, None] * frequencies(config, positions.device)
    return Turn(angles.cos().to(dtype), angles.sin().to(dtype))


def frequencies(config: Config, device: torch.device) -> Tensor:
    """Radians a position (head_dim / 2,), the fastest first."""
    steps = torch.arange(0, config.head_dim, 2, dtype=torch.float64, device=device)
    plain = config.theta ** -(steps / config.head_dim)
    if (how := config.scaling) is None:
        return plain
    turns = how.original * plain / (2 * pi)
    share = ((turns - how.low) / (how.high - how.low)).clamp(0, 1)
    return plain * (share + (1 - share) / how.factor)


def turned(x: Tensor, by: Turn) -> Tensor:
    """The heads x (B, n, heads, head_dim), each turned by its position's angles."""
    first, second = x.chunk(2, -1)
    return torch.cat(
        [first * by.cos - second * by.sin, second * by.cos + first * by.sin], -1
    )
