"""A NumPy Generator all of whose draws are made of uniforms that somebody else gives.

Given undrawn ones (symbolic.py) the law of the code that draws comes out exactly; given
written ones (scripted.py) it is read from outside. Each draw takes as many uniforms as
the distribution needs, by inverse CDF or by exponential race.
"""

from collections.abc import Callable
from typing import Any, NoReturn, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Size = SupportsIndex | tuple[SupportsIndex, ...] | None


class Uniforms(Protocol):
    """Where the uniforms come from. `refuse` raises for what they cannot make."""

    def uniform(self) -> Any: ...
    def refuse(self, reason: str) -> NoReturn: ...


_Generator: Any = np.random.Generator  # its overloads are not worth repeating


class StandIn(_Generator):  # type: ignore[misc]
    """Passes for a Generator, also in `np.random.default_rng(rng)` and `isinstance`.

    It has random, uniform, integers, choice, multinomial and binomial of one trial,
    standard_exponential, exponential, gumbel and spawn. All else that a Generator has
    is refused, and so are copies, which would draw luck of their own.
    """

    def __init__(self, uniforms: Uniforms):
        super().__init__(_UNUSED)
        self._uniforms = uniforms

    def __getattribute__(self, name: str) -> Any:
        if name in _LACKING:
            self._uniforms.refuse(f"a stand-in Generator has no {name}")
        return super().__getattribute__(name)

    def __repr__(self) -> str:
        return "StandIn"

    __str__ = __repr__

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        self._uniforms.refuse("a stand-in Generator was copied")

    def random(
        self, size: Size = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        """Uniforms on [0, 1); float32 ones are multiples of 2^-24, as NumPy's are."""
        if out is not None:
            self._uniforms.refuse("an undrawn uniform does not fit into out=")
        return _shaped(lambda: self._one(np.dtype(dtype).type), size)

    def _one(self, dtype: Any = np.float64) -> Any:
        u = self._uniforms.uniform()
        return dtype(np.floor(u * 2**24) / 2**24) if dtype is np.float32 else u

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:
        return low + (high - low) * self.random(_size(size, low, high))

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Size = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Equally likely integers: low + floor(n * u)."""
        _REAL.integers(low, high, size, dtype, endpoint)
        low, high = (0, low) if high is None else (low, high)
        count = int(high) + endpoint - int(low)
        as_type = np.dtype(dtype).type
        return _shaped(lambda: as_type(low + int(self._one() * count)), size)

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """By inverse CDF, in NumPy's own arithmetic and with NumPy's own complaints."""
        _REAL.choice(a, size, replace, p, axis)
        if not replace and size is not None and np.empty(size).size > 1:
            self._uniforms.refuse("choice without replacement")
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        if p is None:
            return items.take(self.integers(items.shape[axis], size=size), axis=axis)
        cdf = np.cumsum(p, dtype=np.float64)
        return items.take(_shaped(lambda: self._pick(cdf / cdf[-1]), size), axis=axis)

    def _pick(self, cdf: Any) -> Any:
        return np.searchsorted(cdf, self._one(), side="right")

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Any:
        """One-hot rows for pvals (..., V), where n is 1."""
        rows: Any = _REAL.multinomial(n, pvals, size)
        if not np.all(n == 1):
            self._uniforms.refuse("multinomial of several trials")
        inner = np.cumsum(np.broadcast_to(pvals, rows.shape)[..., :-1], axis=-1)
        for at in np.ndindex(rows.shape[:-1]):
            rows[at] = np.arange(rows.shape[-1]) == self._pick(inner[at])
        return rows

    def binomial(self, n: Any, p: Any, size: Size = None) -> Any:
        """True where u < p, for n = 1."""
        shape = np.shape(_REAL.binomial(n, p, size))
        if not np.all(n == 1):
            self._uniforms.refuse("binomial of several trials")
        return (self.random(shape) < np.asarray(p)).astype(np.int64)[()]

    def standard_exponential(
        self,
        size: Size = None,
        dtype: Any = np.float64,
        method: str = "inv",
        out: Any = None,
    ) -> Any:
        """-log(1 - u)."""
        return -np.log1p(-self.random(size, dtype, out))

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Any:
        return scale * self.standard_exponential(_size(size, scale))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        return loc - scale * np.log(self.standard_exponential(_size(size, loc, scale)))

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        return [StandIn(self._uniforms) for _ in range(n_children)]


def coins(uniforms: Uniforms, k: int) -> tuple[Array, Array]:
    """Uniforms for an engine that takes them: accept (K,) and sample (K+1,)."""
    return _shaped(uniforms.uniform, k), _shaped(uniforms.uniform, k + 1)


def _shaped(draw: Callable[[], Any], size: Size) -> Any:
    """One draw, or an array of them; of objects where they are undrawn."""
    if size is None:
        return draw()
    drawn = np.empty(size, bool)
    return np.array([draw() for _ in drawn.flat]).reshape(drawn.shape)


def _size(size: Size, *parameters: Any) -> Size:
    """The size asked for, else that of the parameters, None where all are scalar."""
    shapes = map(np.shape, parameters)
    return (np.broadcast_shapes(*shapes) or None) if size is None else size


_REAL = np.random.default_rng(0)
_UNUSED = _REAL.bit_generator
_LACKING = {name for name in dir(np.random.Generator) if name[0] != "_"} - vars(
    StandIn
).keys()
