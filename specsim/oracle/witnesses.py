"""The failing case of a report: the rows that lead to one wrong context."""

from fractions import Fraction
from typing import Any

from specsim.oracle import exact
from specsim.oracle.evidence import Cell
from specsim.oracle.exact import Law, Tokens, figure
from specsim.oracle.reading import Read
from specsim.oracle.report import Witness
from specsim.oracle.worlds import World


def computed(read: Read) -> Witness:
    """The first wrong context of a law that was read."""
    gap, *others = read.gaps
    row = exact.conditionals(read.law)[gap.prefix]
    depth = len(read.world.branching) + 1
    start: Law = {(): Fraction(1)}
    emitted, right = (
        exact.completed(law, read.world.truth, depth) for law in (read.law, start)
    )
    return witness(
        read.world,
        gap.prefix,
        gap.token,
        figure(gap.want),
        figure(gap.got),
        wrong=1 + len(others),
        found=tuple(float(row.get(x, 0)) for x in range(read.world.vocab)),
        tv=figure(exact.distance(emitted, right)),
    )


def counted(world: World, cell: Cell, counts: list[int]) -> Witness:
    """The context that tells most against an engine that was sampled."""
    return witness(
        world,
        cell.prefix,
        cell.token,
        figure(Fraction(cell.want)),
        f"{cell.count} of {cell.trials} draws",
        found=tuple(n / cell.trials for n in counts),
        trials=cell.trials,
    )


def witness(
    world: World,
    prefix: Tokens,
    token: int,
    want: str,
    got: str,
    wrong: int = 1,
    **found: Any,
) -> Witness:
    """One wrong context with the rows of target and drafter that lead to it."""
    p, q = {}, {}
    for n in range(len(prefix) + 1):
        key = " ".join(map(str, prefix[:n])) or "root"
        p[key] = [*map(str, world.target(prefix[:n]))]
        if n < len(world.branching):
            q[key] = [*map(str, world.drafter(prefix[:n]))]
    wanted = tuple(map(float, world.truth(prefix)))
    return Witness(str(world), p, q, prefix, token, want, got, wrong, wanted, **found)
