"""Transport of a target onto tuples of drafts: three ways to its value, and a plan."""

from fractions import Fraction
from itertools import product
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference import transport
from reference.model.table import row
from reference.probs import Probs
from reference.proposal import Kind
from reference.transport import Tuples, optimum, optimum_iid, plan, siblings

P, Q = row([3, 2, 1]), row([1, 1, 2])
KINDS: tuple[Kind, ...] = "iid", "without_replacement"


def rows(vocab: int) -> st.SearchStrategy[Probs]:
    weights = st.lists(st.integers(0, 5), min_size=vocab, max_size=vocab)
    return weights.filter(any).map(row)


PAIRS = st.integers(1, 4).flatmap(lambda vocab: st.tuples(rows(vocab), rows(vocab)))
SCALES = st.fractions(0, 1, max_denominator=7)


@given(PAIRS, SCALES, st.integers(0, 3), st.sampled_from(KINDS))
def test_the_largest_flow_is_the_smallest_cut(
    pair: tuple[Probs, Probs], scale: Fraction, n: int, kind: Kind
) -> None:
    p, q = pair
    law = siblings(q, n, kind)
    _, served = plan(scale * p, law)
    assert served == optimum(scale * p, law)
    if kind == "iid":
        assert served == optimum_iid(scale * p, q, n)


@given(PAIRS, SCALES, st.integers(0, 3), st.sampled_from(KINDS))
def test_a_plan_is_feasible(
    pair: tuple[Probs, Probs], scale: Fraction, n: int, kind: Kind
) -> None:
    p, q = pair
    law = siblings(q, n, kind)
    flow, served = plan(scale * p, law)
    assert served == sum(flow.values())
    assert all(mass > 0 and x in t for (t, x), mass in flow.items())
    for t, share in law.items():
        assert sum(mass for (u, _), mass in flow.items() if u == t) <= share
    for x, wanted in enumerate(scale * p):
        assert sum(mass for (_, y), mass in flow.items() if y == x) <= wanted


@given(PAIRS, st.integers(0, 3), st.sampled_from(KINDS))
def test_the_law_of_siblings_is_that_of_drawing_them(
    pair: tuple[Probs, Probs], n: int, kind: Kind
) -> None:
    _, q = pair
    assert siblings(q, n, kind) == by_hand(q, n, kind)


def by_hand(q: Probs, n: int, kind: Kind) -> dict[tuple[int, ...], Fraction]:
    """Every ordered draw, one by one; where the support runs out, all of it."""
    distinct = kind == "without_replacement"
    size = min(n, len(np.flatnonzero(q))) if distinct else n
    law: dict[tuple[int, ...], Fraction] = {}
    for drawn in product(range(len(q)), repeat=size):
        odds, left = Fraction(1), Fraction(1)
        for i, x in enumerate(drawn):
            odds *= 0 if distinct and x in drawn[:i] else q[x] / left
            left -= q[x] if distinct and left > q[x] else 0
        if odds:
            t = tuple(sorted(drawn))
            law[t] = law.get(t, Fraction()) + odds
    return law


@pytest.mark.parametrize("kind", ["fixed", "hub"])
def test_siblings_that_are_no_draws_are_refused(kind: Kind) -> None:
    with pytest.raises(ValueError, match=kind):
        siblings(Q, 2, kind)


def test_a_worked_pair_of_drafts() -> None:
    """The target serves 11/12 of independent pairs, and every pair without repeats."""
    assert plan(P, siblings(Q, 2, "iid"))[1] == Fraction(11, 12)
    assert plan(P, siblings(Q, 2, "without_replacement"))[1] == 1
    hub: Tuples = {(0, 2): Fraction(1, 2), (1, 2): Fraction(1, 2)}
    assert plan(P, hub)[1] == 1
    flow, _ = plan(P, siblings(Q, 2, "iid"))
    served = [sum(m for (_, y), m in flow.items() if y == x) for x in range(3)]
    assert list(P - served) == [Fraction(1, 16), Fraction(1, 48), 0]


def test_one_draft_is_speculative_sampling() -> None:
    assert optimum_iid(P, Q, 1) == sum(np.minimum(P, Q))


def test_the_plan_does_not_depend_on_the_order_of_tuples() -> None:
    law = siblings(Q, 3, "iid")
    backwards: Tuples = dict([*law.items()][::-1])
    assert list(plan(P, backwards)[0].items()) == list(plan(P, law)[0].items())


@given(PAIRS, st.integers(1, 3))
def test_floats_do_as_well(pair: tuple[Probs, Probs], n: int) -> None:
    p, q = pair
    exact = optimum_iid(p, q, n)
    p, q = p.astype(float), q.astype(float)
    assert optimum_iid(p, q, n) == pytest.approx(exact)
    assert plan(p, siblings(q, n, "iid"))[1] == pytest.approx(exact)


def test_floats_and_fractions_are_not_mistaken_for_each_other() -> None:
    """They are equal and hash alike, and what is remembered goes by its arguments."""
    half = row([1, 1])
    kinds: list[Any] = []
    for rows_of in (half, half.astype(float), half):
        law = siblings(rows_of, 2, "iid")
        kinds += [type(plan(rows_of, law)[1]), type(law[0, 0])]
    assert [issubclass(kind, float) for kind in kinds] == [0, 0, 1, 1, 0, 0]


def test_the_sorted_cut_among_many_words() -> None:
    p, q = row([5, 0, 3, 1, 4, 1, 5, 9, 2]), row([2, 7, 1, 8, 2, 8, 1, 8, 0])
    for n in (1, 2, 3):
        assert optimum_iid(p, q, n) == optimum(p, siblings(q, n, "iid"))
    ramp = np.arange(1, 30_001) / (15_000 * 30_001)
    overlap = np.minimum(ramp, ramp[::-1]).sum()
    assert optimum_iid(ramp, ramp[::-1], 1) == pytest.approx(overlap)
    assert overlap + 0.1 < optimum_iid(ramp, ramp[::-1], 2) < 1


def test_tokens_ascend_by_ratio_and_those_never_drawn_are_left_out() -> None:
    assert transport.ascending(P, Q).tolist() == [2, 1, 0]
    assert transport.ascending(row([1, 1, 2]), row([1, 1, 0])).tolist() == [0, 1]
