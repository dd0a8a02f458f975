"""Which known bug has the engine's law? Laws are compared, not symptoms."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

from specsim.oracle import exact
from specsim.oracle.declared import Declared
from specsim.oracle.exact import Law
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import COIN_REUSED, Mutant, Wiring
from specsim.oracle.reading import ROUNDING, Read, size
from specsim.oracle.readings import symbolic
from specsim.oracle.report import Diagnosis
from specsim.oracle.worlds import World
from specsim.seam import randomness

H = TypeVar("H", bound=Hashable)
SAME = Fraction(1, 2**12)
"""Laws that give no block odds apart by more than this part are one law, rounded."""


def reusing(run: Callable[[randomness.Source], H]) -> dict[H, Fraction]:
    """The law of code that may toss a coin twice: the second toss knows the first."""
    return symbolic.law(lambda path: run(symbolic.Coins(path)))


def reading(mutant: Mutant | Wiring) -> exact.Reading:
    """How a planted bug's law is read."""
    return reusing if mutant.kind == COIN_REUSED else randomness.law


def law(mutant: Mutant, world: World) -> Law | None:
    """The exact law of a planted bug in a world; None where it asks the impossible,
    or divides whole numbers and so leaves the fractions.
    """
    try:
        return exact.emitted(mutant.verify, world, reading(mutant))
    except (randomness.Refused, ZeroDivisionError, TypeError):
        return None


def candidates(world: World, tree: bool) -> list[Mutant]:
    """The mutants that can be asked here, for trees or chains: those of lossless rules,
    or of the lossy rule that is declared.
    """
    return [
        mutant
        for mutant in MUTANTS.values()
        if isinstance(mutant, Mutant)
        and world.kind in mutant.row.accepts
        and mutant.row.tree == tree
        and rival(mutant, world)
        and not mutant.races
    ]


def rival(mutant: Mutant, world: World) -> bool:
    """Whether the mutant's rule aims at the law that is right in this world."""
    if isinstance(world, Declared):
        return mutant.rule == world.rule
    return not mutant.row.greedy and not mutant.row.lossy


def diagnose(
    reads: Sequence[Read], failed: Sequence[Read], tree: bool
) -> list[Diagnosis]:
    """The mutants whose law is the engine's wherever it was read and can be compared.

    At least one failing world must agree and none may disagree. Those that mirror a
    public report come first.
    """
    suspects = everyone(failed, tree)
    agreed: set[str] = set()
    for read in [*failed, *reads]:
        suspects, same = _narrowed(suspects, read, tree)
        agreed |= same if read in failed else set()
    found = [mutant for mutant in suspects if mutant.name in agreed]
    return [described(m) for m in sorted(found, key=lambda m: not m.reports)]


def excluded(reads: Sequence[Read], tree: bool) -> list[str]:
    """The mutants whose law is not the engine's in some world that was read."""
    left = able = everyone(reads, tree)
    for read in reads:
        left, _ = _narrowed(left, read, tree)
    return sorted({m.name for m in able} - {m.name for m in left})


def everyone(reads: Sequence[Read], tree: bool) -> list[Mutant]:
    """The mutants that can be asked in at least one of the worlds."""
    able = {m.name: m for read in reads for m in candidates(read.world, tree)}
    return list(able.values())


def _narrowed(
    suspects: list[Mutant], read: Read, tree: bool
) -> tuple[list[Mutant], set[str]]:
    """The suspects that this world does not clear, and those that it confirms."""
    left, same = [], set()
    able = {mutant.name for mutant in candidates(read.world, tree)}
    for mutant in suspects:
        known = law(mutant, read.world) if mutant.name in able else None
        if known is None:
            left.append(mutant)
        elif same_law(known, read):
            left.append(mutant)
            same.add(mutant.name)
    return left, same


def same_law(known: Law, read: Read) -> bool:
    """Whether no block's odds are further apart than the way of reading explains."""
    limit = SAME if read.how == "symbolic" else ROUNDING
    gaps = (
        exact.Gap((), 0, known.get(block, Fraction()), read.law.get(block, Fraction()))
        for block in known | read.law
    )
    return all(size(gap, read.how) <= limit for gap in gaps)


def described(mutant: Mutant, likeness: str = "the same law") -> Diagnosis:
    line = " ".join(mutant.line.split())
    return Diagnosis(
        mutant.name, mutant.rule, mutant.kind, line, mutant.reports, likeness
    )
