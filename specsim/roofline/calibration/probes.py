"""What is timed: one small piece of a decode step each, and what timing it gave."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["read", "copy", "product", "attention", "prefill", "small", "step"]

TOKENS = 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64
"""Of the classic experiment: what do so many tokens cost, when one costs this?"""

SHORT = 512
"""A short prompt."""


@dataclass(frozen=True)
class Work:
    """What is done, in the units of `roofline.costs`.

    kind:    read or copy memory; a product with a matrix of weights; attention of one
             token to its cache; attention of a prompt to itself; all small operations
             of one layer, which the model counts as four; a whole decode step.
    format:  number format of weights or cache, a name of `formats.FORMATS`.
    tokens:  rows that meet the matrix.
    weights: bytes of the matrix, the cache, or what is read.
    bytes:   of everything moved.
    """

    kind: Kind
    format: str
    tokens: int
    weights: float
    bytes: float
    flops: float


@dataclass(frozen=True)
class Probe:
    """Work, and how to have it done on the piece of memory that begins at some byte.

    All probes go through one large memory, each where the last one stopped: so that
    whatever they read was read longer ago than any cache remembers.
    """

    work: Work
    run: Callable[[int], object]

    @property
    def piece(self) -> int:
        """Bytes of that memory one run reads."""
        return round(self.work.weights)


@dataclass(frozen=True)
class Point:
    """Work, and its seconds: the median, and the 10th and the 90th percentile."""

    work: Work
    seconds: float
    low: float
    high: float


def product(form: str, width: float, tokens: int, rows: int, columns: int) -> Work:
    """Of `tokens` vectors of `rows` numbers and a matrix of `width` bytes a number.

    >>> product("bf16", 2, 1, 1024, 1024).weights
    2097152.0
    """
    weights = float(width * rows * columns)
    moved = 2 * tokens * (rows + columns)
    flops = 2.0 * tokens * rows * columns
    return Work("product", form, tokens, weights, weights + moved, flops)
