"""Exponential races: which of several undrawn waiting times is over first.

-log(u) is an exponential waiting time. Among independent ones of rates w the first is i
with odds w[i] / sum(w), and whichever it was, it is exponential itself, with the rate
of the whole pack: so the leader can be compared with one more, exactly. argmin(E / w),
argmax(w / E) and argmax(log(w) + Gumbel) are followed as the scans that they are.
"""

import math
from fractions import Fraction
from typing import NamedTuple, Protocol

from specsim.oracle.readings.cells import LOG, LOG1P, RECIPROCAL, Cell, Map

ZERO, ONE = Fraction(0), Fraction(1)
OUTRUN = ZERO, ZERO
"""The pack of one that has lost: all that is known is that another was first."""


class View(Protocol):
    """scale * x + shift, x an undrawn uniform or the map `by` of a view `of` it."""

    cell: Cell
    scale: Fraction
    shift: Fraction
    by: Map | None

    @property
    def of(self) -> "View | None": ...


class Racer(NamedTuple):
    """A waiting time by its rate; `falling` where a larger value means sooner."""

    rate: Fraction
    falling: bool


def racer(view: View) -> Racer | None:
    """The waiting time of which this is a view; None if it is no such thing."""
    of, by, scale, shift = view.of, view.by, view.scale, view.shift
    if of is None:
        return None
    if _is_log_of_uniform(of, by):
        return Racer(-1 / scale, False) if scale < 0 and not shift else None
    inner = racer(of)
    if inner is None or inner.falling:
        return None
    if by is RECIPROCAL and scale > 0 and not shift:
        return Racer(inner.rate * scale, True)
    if by is LOG and abs(scale) == 1:
        return Racer(inner.rate * Fraction(math.exp(-scale * shift)), scale < 0)
    return None


def _is_log_of_uniform(of: View, by: Map | None) -> bool:
    """Is it log(u), log(1 - u) or log1p(-u)?"""
    ways = {LOG: ((ONE, ZERO), (-ONE, ONE)), LOG1P: ((-ONE, ZERO),)}
    return of.of is None and by in ways and (of.scale, of.shift) in ways[by]


def less(a: View, b: View) -> bool:
    """Is a < b? Forks; afterwards the sooner one leads the packs of both."""
    path, one, other = a.cell.path, racer(a), racer(b)
    if not one or not other or one.falling != other.falling or a.cell is b.cell:
        path.refuse("two undrawn uniforms were compared, and not in a race")
    mine, theirs = _pack(a.cell, one), _pack(b.cell, other)
    sooner = path.fork(mine / (mine + theirs))
    a.cell.pack = (one.rate, mine + theirs) if sooner else OUTRUN
    b.cell.pack = OUTRUN if sooner else (other.rate, mine + theirs)
    return sooner != one.falling


def _pack(cell: Cell, own: Racer) -> Fraction:
    """The rate of the pack that this one leads: at first, of itself."""
    rate, total = cell.pack or (own.rate, own.rate)
    if rate != own.rate or cell.hi - cell.lo != 1:
        cell.path.refuse("a waiting time was used twice, and not in one race")
    return total
