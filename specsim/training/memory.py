"""What a frozen target read, so that later epochs need not read it again."""

from collections.abc import Callable

import torch
from torch import Tensor

Read = Callable[[Tensor], Tensor]
"""Hidden states (1, n, D) of one window (1, n)."""
MOST = 4 << 30
"""Bytes that are kept at most; windows beyond that are read each time."""


class Memory:
    """Hidden states of windows, rounded to half precision: 2^-11 of each at most.

    A window is read alone and rounded the first time as well, so what is given is the
    same whichever windows were read before, and in whatever company.
    """

    def __init__(self, most: int = MOST):
        self._left = most
        self._held: dict[bytes, Tensor] = {}

    def hidden(self, read: Read, tokens: Tensor) -> Tensor:
        """Of windows (B, n): (B, n, D) in float32, by the one target there is."""
        return torch.stack([self._one(read, window) for window in tokens])

    def hold(self, window: Tensor, hidden: Tensor) -> Tensor:
        """Remember what was read of a window (n,), if there is room; (n, D), rounded"""
        half = hidden.half().cpu()
        if half.nbytes <= self._left:
            self._left -= half.nbytes
            self._held[_name(window)] = half
        return half

    def _one(self, read: Read, window: Tensor) -> Tensor:
        half = self._held.get(_name(window))
        if half is None:
            half = self.hold(window, read(window[None])[0])
        return half.to(window.device, torch.float32)


def _name(window: Tensor) -> bytes:
    name: bytes = window.cpu().numpy().tobytes()
    return name
