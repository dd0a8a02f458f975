"""An undrawn uniform: it stands where an engine expects a float, and forks the run.

A comparison that its value would decide forks the run and narrows the cell it lies in,
so that a uniform that is used again still knows all that it was asked. NumPy's loops
over objects call these operators: `cdf > u`, `np.searchsorted(cdf, u)` and `np.log(u)`
are followed just as `u < t` is.
"""

import math
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from specsim.oracle.readings.cells import (
    EXP,
    LOG,
    LOG1P,
    RECIPROCAL,
    SQRT,
    Cell,
    Map,
    Real,
    real,
)
from specsim.oracle.readings.races import less

ZERO, ONE = Fraction(0), Fraction(1)
STEPS = 1024
"""The most steps of a rounding, such as `int(u * n)`, that are followed."""


class Uniform:
    """scale * x + shift, x an undrawn uniform or the map `by` of a view `of` it.

    Arithmetic and maps give another view of the same uniform, exact where the engine's
    own floats may round. Ties have measure zero: `==` is False and `<=` is `<`. What
    cannot be followed raises `Unfollowable`.
    """

    __slots__ = ("by", "cell", "of", "rising", "scale", "shift")

    def __init__(
        self,
        cell: Cell,
        scale: Fraction = ONE,
        shift: Fraction = ZERO,
        of: "Uniform | None" = None,
        by: Map | None = None,
    ):
        self.cell, self.scale, self.shift, self.of, self.by = cell, scale, shift, of, by
        inner = True if of is None or by is None else by.rising == of.rising
        self.rising: bool = (scale > 0) == inner

    def back(self, y: Real) -> Real:
        """Where the uniform lies when this view of it is y."""
        x = (y - self.shift) / self.scale
        return (
            x if self.of is None or self.by is None else self.of.back(self.by.back(x))
        )

    def _is(self, other: object, below: bool) -> Any:
        if isinstance(other, Uniform):
            return np.bool(self is not other and less(self, other) == below)
        y = real(other)
        if y is None:
            return NotImplemented
        if isinstance(y, float):
            return np.bool(y > 0 if below else y < 0)
        return np.bool(self.cell.below(self.back(y)) == (self.rising == below))

    def __lt__(self, other: object) -> Any:
        return self._is(other, below=True)

    def __gt__(self, other: object) -> Any:
        return self._is(other, below=False)

    __le__, __ge__ = __lt__, __gt__

    def __eq__(self, other: object) -> Any:
        is_array = isinstance(other, np.ndarray)
        return NotImplemented if is_array else np.bool(self is other)

    def __add__(self, other: object) -> Any:
        c = self._constant(other)
        if c is None:
            return NotImplemented
        if isinstance(c, float):
            return c
        return Uniform(self.cell, self.scale, self.shift + c, self.of, self.by)

    def __mul__(self, other: object) -> Any:
        c = self._constant(other)
        if c is None:
            return NotImplemented
        if isinstance(c, float):
            return c if self > 0 else -c
        return self._times(c) if c else 0.0

    def __truediv__(self, other: object) -> Any:
        c = self._constant(other)
        if c is None:
            return NotImplemented
        if not c:
            return math.inf if self > 0 else -math.inf
        return self * (1 / c)

    def __neg__(self) -> "Uniform":
        return self._times(-ONE)

    def __sub__(self, other: object) -> Any:
        c = self._constant(other)
        return NotImplemented if c is None else self + -c

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __rtruediv__(self, other: object) -> Any:
        return self._via(RECIPROCAL, above=0) * other

    __radd__, __rmul__ = __add__, __mul__

    def _constant(self, other: object) -> Real | None:
        if isinstance(other, Uniform):
            self.cell.path.refuse("arithmetic on two undrawn uniforms")
        return real(other)

    def _times(self, c: Fraction) -> "Uniform":
        return Uniform(self.cell, c * self.scale, c * self.shift, self.of, self.by)

    def __floor__(self) -> int:
        if self.of is not None:
            self.cell.path.refuse("a function of an undrawn uniform was rounded")
        ends = self.cell.lo, self.cell.hi
        low, high = sorted(self.scale * x + self.shift for x in ends)
        if high - low > STEPS:
            self.cell.path.refuse(f"an undrawn uniform was rounded to > {STEPS} steps")
        n = math.floor(low)
        while not self < n + 1:
            n += 1
        return n

    def __floordiv__(self, other: object) -> Any:
        return math.floor(self / other)

    def __ceil__(self) -> int:
        return -math.floor(-self)

    def __trunc__(self) -> int:
        return math.floor(self) if self > 0 else math.ceil(self)

    __int__ = __trunc__

    def log(self) -> Any:
        return self._via(LOG, above=0)

    def log1p(self) -> Any:
        return self._via(LOG1P, above=-1)

    def sqrt(self) -> Any:
        return self._via(SQRT, above=0)

    def exp(self) -> Any:
        return self._via(EXP, above=-math.inf)

    def _via(self, by: Map, above: float) -> Any:
        return Uniform(self.cell, of=self, by=by) if self > above else math.nan

    def _number(self, *_: object) -> NoReturn:
        self.cell.path.refuse("an undrawn uniform was turned into a number")

    __float__ = __complex__ = __bool__ = __round__ = _number
    __abs__ = __pow__ = __rpow__ = __mod__ = __rmod__ = _number
