"""Which planted drafter has the law of this one?"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from specsim.oracle.drafting.cases import Case
from specsim.oracle.drafting.contract import Asked, Drafted, turn
from specsim.oracle.drafting.law import Law
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Wiring
from specsim.oracle.report import Diagnosis
from specsim.oracle.worlds import World
from specsim.seam import probs, randomness

SAME = Fraction(1, 2**16)
"""Odds that are no further apart are the same, rounded."""
NEVER = Fraction(0)
DIGITS = 9
"""Of a declared row, by which rows are told apart."""


def world(asked: Asked, one: Drafted) -> World:
    """The model as a world, its draft branching as that one does.

    Its target is another request's model: what some planted drafters look at.
    """
    rows = [np.array([*map(Fraction, row)], dtype=object) for row in asked.rows]

    def model(prefix: tuple[int, ...]) -> probs.Probs:
        row = rows[turn([*asked.context, *prefix]) % len(rows)]
        scaled: probs.Probs = row / row.sum()
        return scaled

    return World(
        "asked",
        len(asked.rows[0]),
        lambda prefix: model((0, *prefix)),
        model,
        branching(one, asked.k),
    )


def branching(one: Drafted, k: int) -> tuple[int, ...]:
    """Children of the first node of each level; of a chain, all that were asked."""
    if one.parents == (*range(-1, len(one.tokens) - 1),):
        return (1,) * k
    widths, node = [], -1
    while node in one.parents:
        widths.append(one.parents.count(node))
        node = one.parents.index(node)
    return tuple(widths)


def law(wiring: Wiring, asked: World) -> Law | None:
    """Of what the planted drafter says there; None where it cannot be asked."""

    def run(source: randomness.Source) -> Drafted:
        said = wiring.propose(asked, source)
        q = None if said.q is None else said.q.astype(float).tolist()
        rows = None if q is None else tuple(map(tuple, q))
        return Drafted(tuple(said.tokens), tuple(said.parents), rows, said.kind)

    try:
        return randomness.law(run)
    except (randomness.Refused, ArithmeticError, LookupError, ValueError, TypeError):
        return None


def rounded(law: Mapping[Drafted, Fraction]) -> dict[Drafted, Fraction]:
    """With rows cut to DIGITS, and what is then the same put together."""
    made: dict[Drafted, Fraction] = defaultdict(Fraction)
    for one, odds in law.items():
        q = one.q and tuple(tuple(round(w, DIGITS) for w in row) for row in one.q)
        made[one._replace(q=q)] += odds
    return made


def same(one: Law, other: Law) -> bool:
    a, b = rounded(one), rounded(other)
    return all(abs(a.get(k, NEVER) - b.get(k, NEVER)) <= SAME for k in a | b)


def diagnose(laws: Mapping[Case, Law]) -> list[Diagnosis]:
    """The planted drafters whose law is this one's in every case that was read.

    The laws are those of a drafter that was found wrong.
    """
    likeness = "the same law of drafts"
    found = [
        Diagnosis(w.name, w.rule, w.kind, w.line, w.reports, likeness)
        for w in MUTANTS.values()
        if isinstance(w, Wiring)
        and all(resembles(w, case, read) for case, read in laws.items())
    ]
    return sorted(found, key=lambda known: not known.reports)


def resembles(wiring: Wiring, case: Case, read: Law) -> bool:
    one = max(read, key=lambda drafted: len(drafted.tokens))
    known = law(wiring, world(case.asked, one))
    return known is not None and same(known, read)
