"""Coins by name from a counter: Philox 4x64 with 10 rounds, the twin of `keyed`.

The same (seed, request, step, purpose, index) gives the same coin on any device, in any
order, in any batch; and the same as reference/randomness.keyed.

Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3",
section 3.3. https://doi.org/10.1145/2063384.2063405
"""

from typing import TypeAlias

import torch
from torch import Tensor

PURPOSES = "draft", "accept", "sample"
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
WEYL = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
ROUNDS = 10
LOW = 0xFFFFFFFF
Key: TypeAlias = int | Tensor
"""A number below 2^63 for the batch, or one a request (B,) int64."""


def coins(seed: Key, request: Tensor, step: Key, purpose: str, count: int) -> Tensor:
    """Uniforms (B, count) in [0, 1), float64: coin i of each request (B,) int64.

    >>> coins(7, torch.tensor([0]), 3, "accept", 2)
    tensor([[0.0843, 0.9544]], dtype=torch.float64)
    """
    index = torch.arange(count, device=request.device)
    key = _column(seed, request), request[:, None]
    counter = (
        torch.ones_like(request)[:, None],
        index,
        torch.full_like(request, PURPOSES.index(purpose))[:, None],
        _column(step, request),
    )
    first = _philox(counter, key)
    return (_shifted(first, 11)).double() * 2.0**-53


def _column(key: Key, request: Tensor) -> Tensor:
    return torch.as_tensor(key, device=request.device).expand_as(request)[:, None]


def _philox(counter: tuple[Tensor, ...], key: tuple[Tensor, Tensor]) -> Tensor:
    """The first of the four words; int64 stands for uint64, which wraps as well."""
    a, b, c, d = counter
    k, m = key
    for _ in range(ROUNDS):
        high_a, low_a = _product(a, MULTIPLIERS[0])
        high_c, low_c = _product(c, MULTIPLIERS[1])
        a, b, c, d = high_c ^ b ^ k, low_c, high_a ^ d ^ m, low_a
        k, m = k + _signed(WEYL[0]), m + _signed(WEYL[1])
    return a


def _product(word: Tensor, by: int) -> tuple[Tensor, Tensor]:
    """The high and the low half of a product of 128 bits, by halves of 32."""
    low, high = word & LOW, _shifted(word, 32)
    by_low, by_high = by & LOW, by >> 32
    inner = low * by_high + _shifted(low * by_low, 32)
    cross = high * by_low + (inner & LOW)
    return high * by_high + _shifted(inner, 32) + _shifted(cross, 32), word * _signed(
        by
    )


def _shifted(word: Tensor, bits: int) -> Tensor:
    """To the right, without the sign."""
    return (word >> bits) & ((1 << (64 - bits)) - 1)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
