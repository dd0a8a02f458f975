"""Drafters and rules that read the same races: how often they agree, and what is said.

All laws are exact: drafter and rule are run as one.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from reference.decode import decode
from reference.draft.lookup import Lookup
from reference.model.table import Table, constant, row, table
from reference.probs import Probs
from reference.proposal import Kind, Proposal, Rows, draft
from reference.randomness import Shifted, Source, keyed, law, replay
from reference.verify import gumbel, list_coupling
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World, pairs
from specsim.rules import RULES, Verify, named

F = Fraction
Model = tuple[int, Rows, Rows]
THREE: Model = 3, constant([3, 2, 1]), constant([1, 1, 2])
SAME: Model = 3, constant([3, 2, 1]), constant([3, 2, 1])
TWO: Model = 2, constant([1, 2]), constant([2, 1])


def coupled(model: Model, *branching: int, kind: Kind = "coupled") -> World:
    return World("worked", *model, branching, kind)


def agreed(verify: Verify, where: World) -> Fraction:
    """The odds that at least one drafted token is emitted."""
    law = exact.emitted(verify, where)
    return sum((odds for block, odds in law.items() if len(block) > 1), F(0))


def variation(p: Probs, q: Probs) -> Fraction:
    return Fraction(sum(abs(p - q)) / 2)


# The drafter


def told(where: World) -> dict[tuple[int, ...], Fraction]:
    return law(lambda source: tuple(where.draft(source).tokens))


def test_a_coupled_draft_reads_the_race_of_each_depth() -> None:
    asked: list[tuple[int, list[int]]] = []

    class Listening:
        def race(self, d: int, weights: Probs) -> int:
            asked.append((d, [int(12 * w) for w in weights]))
            return len(weights) - 1

        def draft(self, i: int, weights: Probs) -> int:
            raise AssertionError

        def accept(self, i: int, prob: Any) -> bool:
            raise AssertionError

        sample = draft

    made = draft(constant([1, 1], [1, 2]), (2, 1), Listening(), "coupled")
    assert made.tokens == [1, 1, 1, 1]
    assert made.parents == [-1, -1, 0, 1]
    none = [0, 0]
    assert asked == [
        (0, [6, 6]),
        (0, [*none, 6, 6]),
        (1, [4, 8]),
        (1, [*none, 4, 8]),
    ]


def test_coupled_siblings_are_drawn_independently() -> None:
    for where in (coupled(THREE, 2, 1), coupled((3, table(1, 3), table(2, 3)), 2, 1)):
        alike = World(**vars(where) | {"kind": "iid"})
        assert told(where) == told(alike)


# Agreement


@pytest.mark.parametrize(
    ("model", "a"), [(THREE, F(23, 36)), (SAME, F(1)), (TWO, F(2, 3))]
)
def test_tokens_per_step_of_a_coupled_chain(model: Model, a: Fraction) -> None:
    law = exact.emitted(gumbel.verify, coupled(model, 1, 1))
    tokens = sum(len(block) * odds for block, odds in law.items())
    assert tokens == 1 + a + a * a


def test_agreement_lies_between_the_bounds_of_daliri_musco_and_suresh() -> None:
    for name, model in pairs().items():
        tv = variation(model[1](()), model[2](()))
        a = agreed(gumbel.verify, coupled(model, 1))
        assert (1 - tv) / (1 + tv) <= a <= 1 - tv, name


def test_a_draft_of_other_luck_agrees_less() -> None:
    a = agreed(gumbel.verify, coupled(THREE, 1, kind="iid"))
    assert a == F(7, 24)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_lists_agree_no_less_than_the_list_matching_lemma_says(k: int) -> None:
    verify = partial(list_coupling.verify, lists=k)
    for name in ("two-tokens", "three-tokens", "disjoint", "equal", "table-1"):
        model = pairs()[name]
        p, q = model[1](()), model[2](())
        bound = sum(
            k / (sum(np.maximum(q / q[j], p / p[j])) + (k - 1) / p[j])
            for j in range(model[0])
            if p[j] and q[j]
        )
        assert agreed(verify, coupled(model, k)) >= bound, name


def test_two_lists_agree_more_than_one_and_the_lemma_is_not_tight() -> None:
    one = agreed(gumbel.verify, coupled(THREE, 1))
    two = agreed(list_coupling.verify, coupled(THREE, 2))
    assert one < F(23, 30) < two == F(12091, 15120)


def test_two_lists_agree_as_often_when_sampled() -> None:
    """Times of a pinned seed: within five standard deviations of the exact odds."""
    p, q = (rows(()).astype(float) for rows in THREE[1:])
    rng, n = np.random.default_rng(4), 5000
    times = rng.standard_exponential((n, 6))
    rows = np.array([p, p, p])
    kept = 0
    for run in times:
        source = replay([], [0.5] * 3, [run, run, run])
        drafted = draft(lambda prefix: q, (2,), source, "coupled")
        kept += len(list_coupling.verify(rows, drafted, source)) > 1
    odds = 12091 / 15120
    assert abs(kept - n * odds) < 5 * (n * odds * (1 - odds)) ** 0.5


def test_one_list_is_the_gumbel_coupling() -> None:
    one = partial(list_coupling.verify, lists=1)
    kinds: tuple[Kind, ...] = ("coupled", "iid")
    for kind in kinds:
        for model in pairs().values():
            where = coupled(model, 1, 1, kind=kind)
            if model[0] < 4:
                same = exact.emitted(gumbel.verify, where)
                assert exact.emitted(one, where) == same


# What is said


class FromTable(Lookup):
    def __init__(self, rows: Rows, width: int):
        self.rows, self.width = rows, width

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        branching = (self.width, *[1] * (k - 1)) if k else ()
        rows = self.rows
        return draft(lambda path: rows((*context, *path)), branching, source, "coupled")


@pytest.mark.distribution
@pytest.mark.parametrize(("name", "width"), [("gumbel", 1), ("list_coupling", 2)])
def test_the_text_of_coupled_steps_has_the_targets_law(name: str, width: int) -> None:
    rows, drafter = table(3, 2), table(30, 2)

    def run(source: Source) -> tuple[int, ...]:
        steps = decode(
            Table(rows),
            FromTable(drafter, width),
            named(name).verify,
            [1, 0],
            k=2,
            luck=lambda number, position: Shifted(source, number * 16),
            max_tokens=3,
        )
        return tuple(token for step in steps for token in step.emitted)

    truth = exact.completed({(): F(1)}, lambda s: rows((1, 0, *s)), 3)
    assert law(run) == truth


@pytest.mark.distribution
def test_a_fault_of_the_coupled_text_is_seen() -> None:
    """The fault that coupled drafts alone can show, and what it does not touch."""
    fault = MUTANTS["residual-of-the-drafts-race"]
    assert isinstance(fault, Mutant)
    model: Model = 3, constant([1, 5, 4]), constant([5, 4, 1])
    law = exact.emitted(fault.verify, coupled(model, 1))
    first = [
        sum((odds for block, odds in law.items() if block[0] == x), F(0))
        for x in range(3)
    ]
    assert first == [F(1, 10), F(47, 105), F(19, 42)]
    chain = named("chain").verify
    assert agreed(fault.verify, coupled(model, 1)) == agreed(chain, coupled(model, 1))
    assert not exact.bias(fault.verify, coupled(model, 1, kind="iid"))
    assert not exact.bias(chain, coupled(model, 1))


def test_rules_that_read_no_race_take_coupled_drafts_for_independent_ones() -> None:
    for rule in RULES.values():
        if rule.races or not {"iid", "coupled"} <= set(rule.accepts):
            continue
        shape = (2,) if rule.tree else (1, 1)
        laws = [
            exact.emitted(rule.verify, coupled(THREE, *shape, kind=kind))
            for kind in ("coupled", "iid")
        ]
        assert laws[0] == laws[1], rule.name


def test_duplicates_go_on_below_whichever_draft_they_came_from() -> None:
    """Both drafts say 0; only the second knows how it goes on."""
    p = np.array([row([1, 0])] * 2 + [row([0, 1])] + [row([1, 0])] * 2)
    p[1] = p[2]
    drafted = Proposal([0, 0, 0, 1], [-1, -1, 0, 1], None, "fixed")
    assert list_coupling.verify(p, drafted, keyed(1)) == [0, 1, 0]
