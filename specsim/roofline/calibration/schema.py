"""Checked values: the fields of frozen rows, from JSON that anybody may have made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, TypeVar, get_args, get_type_hints

from specsim.errors import Bad
from specsim.roofline.calibration.kernels import Kernels
from specsim.roofline.calibration.probes import Point, Work
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import Spread
from specsim.roofline.fields import short

Row = TypeVar("Row", Gpu, Kernels, Point, Work)
Pairs = tuple[tuple[float, float], ...]

MOST = 1e18
MOST_TEXT = 1000
ZERO = frozenset({"product_us", "attention_us", "weights", "bytes", "flops"})
"""Numbers that may be zero; every other is greater."""


@dataclass(frozen=True)
class Place:
    """Where in which file a value stands, for the complaint."""

    file: str
    path: str = ""

    def __truediv__(self, name: object) -> "Place":
        """One level further in."""
        return Place(self.file, f"{self.path}.{name}".removeprefix("."))

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    def bad(self, value: object, needed: str) -> Bad:
        """The error to raise."""
        where = f"{self.path} is" if self.path else "it is"
        return Bad(f"{self.file}: {where} {short(value)}; it must be {needed}")


def keys(
    place: Place, value: Any, needed: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """An object with these keys and no others."""
    if not isinstance(value, dict):
        raise place.bad(value, "an object")
    known = [*needed, *optional]
    for name in needed:
        if name not in value:
            raise Bad(f"{place.file}: {(place / name).path} is missing")
    for name in value:
        if name not in known:
            raise Bad(f"{place.file}: {(place / short(name)).path} is not understood")
    return value


def items(place: Place, value: Any, most: int = 1000) -> list[Any]:
    """A list, not too long."""
    if not isinstance(value, list) or len(value) > most:
        raise place.bad(value, f"a list of at most {most}")
    return value


def number(place: Place, value: Any) -> float:
    """Finite and greater than zero, or zero where that makes sense."""
    zero = place.name in ZERO
    if type(value) in (int, float) and (0 if zero else 1 / MOST) <= value <= MOST:
        return float(value)
    least = "from 0 on" if zero else "greater than 0"
    raise place.bad(value, f"a finite number {least}")


def whole(place: Place, value: Any) -> int:
    """A whole number from 1 on."""
    if type(value) is not int or not 1 <= value <= 10**9:
        raise place.bad(value, "a whole number from 1 to a billion")
    return value


def text(place: Place, value: Any) -> str:
    """Printable, on one line."""
    if not isinstance(value, str) or not value.isprintable() or len(value) > MOST_TEXT:
        raise place.bad(value, f"one line of at most {MOST_TEXT} characters")
    return value


def texts(place: Place, value: Any) -> tuple[str, ...]:
    """A list of such lines."""
    return tuple(text(place / at, each) for at, each in enumerate(items(place, value)))


def pairs(place: Place, value: Any) -> Pairs:
    """Pairs of numbers, the first ones rising."""
    made: list[tuple[float, float]] = []
    for at, pair in enumerate(items(place, value)):
        if len(items(place / at, pair)) != 2:
            raise (place / at).bad(pair, "two numbers")
        first, second = (number(place / at / side, x) for side, x in enumerate(pair))
        made.append((first, second))
    rising = all(before[0] < after[0] for before, after in pairwise(made))
    if not made or not rising:
        raise place.bad(value, "pairs whose first numbers rise, one at least")
    return tuple(made)


def spread(place: Place, value: Any) -> Spread:
    """From at most 1 to at least 1."""
    given = keys(place, value, ["low", "high"])
    low, high = (
        number(place / "low", given["low"]),
        number(place / "high", given["high"]),
    )
    if not low <= 1 <= high:
        raise place.bad(value, "low <= 1 <= high")
    return Spread(low, high)


def row(kind: type[Row], place: Place, value: Any) -> Row:
    """An instance of a frozen dataclass, whose fields are the keys.

    Fields that may be None may be left out.
    """
    types, names = get_type_hints(kind), [field.name for field in fields(kind)]
    maybe = [name for name in names if type(None) in get_args(types[name])]
    given = keys(place, value, [name for name in names if name not in maybe], maybe)
    made: dict[str, Any] = dict.fromkeys(maybe)
    made |= {name: _value(types[name], place / name, of) for name, of in given.items()}
    return kind(**made)


READERS: dict[Any, Callable[[Place, Any], Any]] = {
    int: whole,
    float: number,
    str: text,
    tuple[str, ...]: texts,
    Pairs: pairs,
    Spread: spread,
    Work: lambda place, value: row(Work, place, value),
}


def _value(kind: Any, place: Place, value: Any) -> Any:
    """Of a field's type: one of the above, that or nothing, or one of some words."""
    if kind in READERS:
        return READERS[kind](place, value)
    inner = get_args(kind)
    if type(None) in inner:
        return None if value is None else READERS[inner[0]](place, value)
    if value not in inner:
        raise place.bad(value, f"one of {', '.join(inner)}")
    return value
