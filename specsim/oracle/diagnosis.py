"""Which known bug has the engine's law? Laws are compared, not symptoms."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from specsim.oracle import exact, symbolic
from specsim.oracle.exact import Law
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import COIN_REUSED, Mutant, Wiring
from specsim.oracle.reading import Read
from specsim.oracle.report import Diagnosis
from specsim.oracle.worlds import World
from specsim.rules import RULES
from specsim.seam import randomness

SAME = Fraction(1, 2**12)
"""Laws that give no block odds apart by more than this part are one law, rounded."""


def reusing(run: exact.Run) -> Law:
    """The law of code that may toss a coin twice: the second toss knows the first."""
    return symbolic.law(lambda path: run(symbolic.Coins(path)))


def reading(mutant: Mutant | Wiring) -> exact.Reading:
    """How a planted bug's law is read."""
    return reusing if mutant.kind == COIN_REUSED else randomness.law


def law(mutant: Mutant, world: World) -> Law | None:
    """The exact law of a planted bug in a world; None where it asks the impossible."""
    try:
        return exact.emitted(mutant.verify, world, reading(mutant))
    except (randomness.Refused, ZeroDivisionError):
        return None


def candidates(world: World, names: Iterable[str] = MUTANTS) -> list[Mutant]:
    """The mutants of rules that can be asked in this world."""
    tree = max(world.branching) > 1
    found = []
    for name in names:
        mutant = MUTANTS[name]
        if not isinstance(mutant, Mutant):
            continue
        rule = RULES[mutant.rule]
        if world.kind in rule.accepts and rule.tree == tree and not rule.greedy:
            found.append(mutant)
    return found


def diagnose(reads: Sequence[Read], failed: Sequence[Read]) -> list[Diagnosis]:
    """The mutants whose law is the engine's wherever it was read and can be compared.

    At least one failing world must agree and none may disagree. Those that mirror a
    public report come first.
    """
    suspects = candidates(failed[0].world)
    agreed: set[str] = set()
    for read in [*failed, *reads]:
        suspects, same = _narrowed(suspects, read)
        agreed |= same if read in failed else set()
        if not suspects:
            return []
    found = [mutant for mutant in suspects if mutant.name in agreed]
    return [described(m) for m in sorted(found, key=lambda m: not m.reports)]


def excluded(reads: Sequence[Read]) -> list[str]:
    """The mutants whose law is not the engine's in some world that was read."""
    able = {mutant.name: mutant for r in reads for mutant in candidates(r.world)}
    left = list(able.values())
    for read in reads:
        left, _ = _narrowed(left, read)
    return sorted(able.keys() - {mutant.name for mutant in left})


def _narrowed(suspects: list[Mutant], read: Read) -> tuple[list[Mutant], set[str]]:
    """The suspects that this world does not clear, and those that it confirms."""
    left, same = [], set()
    able = {mutant.name for mutant in candidates(read.world)}
    for mutant in suspects:
        known = law(mutant, read.world) if mutant.name in able else None
        if known is None:
            left.append(mutant)
        elif apart(known, read.law) <= SAME:
            left.append(mutant)
            same.add(mutant.name)
    return left, same


def apart(a: Law, b: Law) -> Fraction:
    """The largest difference of a block's odds, relative as in `exact.Gap`."""
    return max(
        exact.Gap((), 0, a.get(block, Fraction()), b.get(block, Fraction())).size
        for block in a | b
    )


def described(mutant: Mutant, likeness: str = "the same law") -> Diagnosis:
    line = " ".join(mutant.line.split())
    return Diagnosis(
        mutant.name, mutant.rule, mutant.kind, line, mutant.reports, likeness
    )
