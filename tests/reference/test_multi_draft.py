"""Rules that look at all siblings of a node at once: how often they go on."""

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference.model.table import constant, row
from reference.probs import Probs
from reference.proposal import Proposal
from reference.randomness import Refused, law
from reference.transport import ascending, optimum_iid
from reference.verify import importance_weighted, k_seq, optimal_transport
from specsim.oracle import exact
from specsim.oracle.worlds import World
from specsim.rules import RULES, Verify
from tests.reference.test_transport import PAIRS, P, Q

PAIR = World("worked", 3, constant([3, 2, 1]), constant([1, 1, 2]), (2,))
SIBLINGS = st.integers(1, 4)


def goes_on(verify: Verify, world: World) -> Fraction:
    """How often the first token emitted is one that was drafted there."""
    return sum(
        (
            odds * share
            for tokens, odds, block in exact.drafts(verify, world)
            for emitted, share in block.items()
            if emitted[0] in tokens
        ),
        Fraction(),
    )


def kept(p: Probs, q: Probs, n: int, gamma: Fraction) -> Fraction:
    """How often one of n siblings passes its own test."""
    each: Fraction = np.minimum(q, p / gamma).sum()
    return 1 - (1 - each) ** n


def test_k_seq_on_a_worked_pair() -> None:
    gamma = k_seq.least_gamma(P, Q, 2)
    assert float(gamma) == pytest.approx(1.39039, abs=5e-6)
    assert float(np.minimum(Q, P / gamma).sum()) == pytest.approx(0.60961, abs=5e-6)
    assert float(kept(P, Q, 2, gamma)) == pytest.approx(0.84760, abs=5e-6)
    assert kept(P, Q, 2, Fraction(3, 2)) == Fraction(119, 144)


def test_k_seq_goes_on_with_drafts_it_falls_back_on() -> None:
    """What is drawn after all tests failed may yet be one of the drafts."""
    gamma = Fraction(3, 2)
    assert goes_on(wide(gamma), PAIR) == Fraction(27151, 32400) > Fraction(119, 144)


@pytest.mark.parametrize("gamma", [Fraction(3, 2), Fraction(7, 5), 2, 5])
def test_any_gamma_that_is_enough_is_exact(gamma: Fraction) -> None:
    assert exact.bias(wide(gamma), PAIR) == 0


def wide(gamma: Fraction) -> Verify:
    return lambda *given: k_seq.verify(*given, gamma=gamma)


@pytest.mark.parametrize("gamma", [Fraction(4, 3), Fraction(1), Fraction(1, 2), 0.0])
def test_too_little_gamma_is_refused(gamma: Fraction) -> None:
    drafted = Proposal([2, 2], [-1, -1], np.array([Q, Q]))
    with pytest.raises(ValueError, match=r"gamma=\S+ is too little for 2 .*: 1\.39"):
        law(
            lambda luck: tuple(
                k_seq.verify(np.array([P] * 3), drafted, luck, gamma=gamma)
            )
        )


def test_too_little_gamma_would_keep_more_than_the_target_asks() -> None:
    gamma = Fraction(4, 3)
    served = np.minimum(Q, P / gamma)
    left = P - served * k_seq.looks(served.sum(), 2)
    assert [*left] == [Fraction(5, 32), Fraction(-1, 96), Fraction(-1, 192)]


@given(PAIRS, SIBLINGS)
def test_gamma_is_enough_and_hardly_more(pair: tuple[Probs, Probs], n: int) -> None:
    """A pass served * looks is what is emitted of each token: at most its p."""
    p, q = pair
    gamma = k_seq.least_gamma(p, q, n)
    served = np.minimum(q, p / gamma)
    assert 1 <= gamma <= n
    assert all(served * k_seq.looks(served.sum(), n) <= p)
    less = gamma - Fraction(n - 1, 2**k_seq.HALVINGS)
    if less > 1:
        assert k_seq.looks(np.minimum(q, p / less).sum(), n) > less


@given(PAIRS, SIBLINGS)
def test_k_seq_keeps_most_of_what_can_be_kept(
    pair: tuple[Probs, Probs], n: int
) -> None:
    p, q = pair
    least = float(optimum_iid(p, q, n)) * (1 - np.exp(-1))
    assert float(kept(p, q, n, k_seq.least_gamma(p, q, n))) >= least - 1e-6


@pytest.mark.parametrize("n", [1, 2, 3])
def test_gamma_at_the_ends(n: int) -> None:
    """One where the rows are equal; with nothing in common there is none too large."""
    assert k_seq.least_gamma(P, P, n) == 1
    assert k_seq.least_gamma(row([1, 0]), row([0, 1]), n) == n


@given(PAIRS, SIBLINGS)
def test_the_law_of_the_choice_sums_to_one(pair: tuple[Probs, Probs], n: int) -> None:
    p, q = pair
    share, chosen = importance_weighted.choice(p, q, n)
    assert 0 <= share <= 1
    assert sum(chosen) == 1
    assert all(chosen >= 0)
    assert all(chosen[q == 0] == 0)


@given(PAIRS, SIBLINGS)
def test_no_other_share_keeps_more(pair: tuple[Probs, Probs], n: int) -> None:
    p, q = pair
    _, chosen = importance_weighted.choice(p, q, n)
    order = ascending(p, q)
    up_to = np.cumsum(q[order])
    largest = 0 * q
    largest[order] = up_to**n - np.array([0, *up_to[:-1]]) ** n
    best = sum(np.minimum(p, chosen))
    for eighths in range(9):
        other = q + Fraction(eighths, 8) * (largest - q)
        assert sum(np.minimum(p, other)) <= best
    assert best <= optimum_iid(p, q, n)


@given(st.tuples(*[st.integers(1, 6)] * 4), SIBLINGS)
def test_two_words_are_chosen_between_as_well_as_can_be(
    weights: tuple[int, int, int, int], n: int
) -> None:
    p, q = row(weights[:2]), row(weights[2:])
    _, chosen = importance_weighted.choice(p, q, n)
    assert sum(np.minimum(p, chosen)) == optimum_iid(p, q, n)


def test_a_worked_choice() -> None:
    p, q = row([1, 2]), row([1, 1])
    share, chosen = importance_weighted.choice(p, q, 2)
    assert share == Fraction(2, 3)
    assert [*chosen] == [*p]


def test_the_optimal_rule_goes_on_as_often_as_can_be() -> None:
    assert goes_on(optimal_transport.verify, PAIR) == Fraction(11, 12)
    distinct = World(**vars(PAIR) | {"kind": "without_replacement"})
    assert goes_on(optimal_transport.verify, distinct) == 1
    assert goes_on(RULES["recursive"].verify, PAIR) < Fraction(11, 12)


def test_the_optimal_rule_refuses_drafts_that_cannot_be() -> None:
    drafted = Proposal([0, 0], [-1, -1], np.array([Q, Q]), "without_replacement")
    with pytest.raises(Refused, match="cannot be without_replacement draws"):
        law(
            lambda luck: tuple(
                optimal_transport.verify(np.array([P] * 3), drafted, luck)
            )
        )
