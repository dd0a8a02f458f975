"""What is known of a uniform that has not been drawn, and how that is narrowed."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, NoReturn, Protocol

Real = Fraction | float
"""A finite number as a Fraction; infinities and NaN as floats."""


class Unfollowable(Exception):
    """The run did what no undrawn uniform can follow: its message says what."""


class Forks(Protocol):
    """What a cell asks of the run it is part of."""

    def fork(self, odds: Fraction) -> bool: ...
    def refuse(self, reason: str) -> NoReturn: ...


class Cell:
    """Where an undrawn uniform may still lie: [lo, hi).

    pack: once in a race (races.py): its own rate, and that of all it has outrun.
    """

    __slots__ = ("hi", "lo", "pack", "path")

    def __init__(self, path: Forks):
        self.path = path
        self.lo, self.hi = Fraction(0), Fraction(1)
        self.pack: tuple[Fraction, Fraction] | None = None

    def below(self, t: Real) -> bool:
        """Is it below t? Forks unless that is known already; narrows the cell."""
        if t <= self.lo or t >= self.hi:
            return t >= self.hi
        if self.pack:
            self.path.refuse("a waiting time was used after its race")
        t = Fraction(t)
        yes = self.path.fork((t - self.lo) / (self.hi - self.lo))
        self.lo, self.hi = (self.lo, t) if yes else (t, self.hi)
        return yes


class Map(NamedTuple):
    """A monotone function, known by its inverse."""

    rising: bool
    back: Callable[[Real], Real]


HUGE = 709  # exp overflows just above
EXP = Map(True, lambda y: Fraction(math.log(y)) if y > 0 else -math.inf)
LOG = Map(True, lambda y: Fraction(math.exp(y)) if y < HUGE else math.inf)
LOG1P = Map(True, lambda y: Fraction(math.expm1(y)) if y < HUGE else math.inf)
SQRT = Map(True, lambda y: y * y if y > 0 else -math.inf)
RECIPROCAL = Map(False, lambda y: 1 / y if y > 0 else math.inf)


def real(x: object) -> Real | None:
    """A Python or NumPy number, or a tensor of one, exactly; None for all else."""
    if getattr(x, "ndim", None) == 0:
        x = x.item()  # type: ignore[attr-defined]
    if isinstance(x, float):
        return Fraction(x) if math.isfinite(x) else x
    return Fraction(x) if isinstance(x, int | Fraction) else None
