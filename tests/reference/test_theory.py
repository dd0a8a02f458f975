"""The closed forms, against enumeration, published tables and each other."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import theory

ALPHAS = st.fractions(0, 1, max_denominator=20)
LENGTHS = st.integers(0, 8)


def enumerated(rates: list[Fraction]) -> Fraction:
    """Mean tokens per step over every outcome of the tests, one by one."""
    total = Fraction(0)
    for outcome in product((True, False), repeat=len(rates)):
        prob = Fraction(1)
        for accepted, rate in zip(outcome, rates, strict=True):
            prob *= rate if accepted else 1 - rate
        kept = outcome.index(False) if False in outcome else len(outcome)
        total += prob * (kept + 1)
    return total


@given(st.lists(ALPHAS, max_size=6))
def test_tokens_are_the_mean_over_all_outcomes(rates: list[Fraction]) -> None:
    assert theory.tokens_by_position(rates) == enumerated(rates)


@given(ALPHAS, LENGTHS)
def test_the_sum_is_the_printed_quotient(alpha: Fraction, k: int) -> None:
    by_hand = k + 1 if alpha == 1 else (1 - alpha ** (k + 1)) / (1 - alpha)
    assert theory.tokens_per_step(alpha, k) == by_hand


def test_a_mean_rate_understates_a_mixture_of_texts() -> None:
    halves = [theory.tokens_per_step(a, 5) for a in (0.9, 0.5)]
    assert sum(halves) / 2 == pytest.approx(3.327, abs=5e-4)
    assert theory.tokens_per_step(0.7, 5) == pytest.approx(2.941, abs=5e-4)


def test_counts_are_not_alpha() -> None:
    assert theory.accepted_per_drafted(Fraction(4, 5), 4) == Fraction(369, 625)
    assert theory.tokens_per_step(0.5904, 4) == pytest.approx(2.266, abs=1e-3)


@given(st.floats(0, 1), st.integers(1, 12))
def test_alpha_comes_back_from_counts(alpha: float, k: int) -> None:
    ratio = theory.accepted_per_drafted(alpha, k)
    found = theory.alpha_from_counts(ratio, 1, k)
    assert theory.accepted_per_drafted(found, k) == pytest.approx(ratio, abs=1e-12)
    assert found == pytest.approx(alpha, abs=1e-9)


@pytest.mark.parametrize(("accepted", "alpha"), [(0, 0.0), (10, 1.0)])
def test_none_and_all_accepted(accepted: int, alpha: float) -> None:
    assert theory.alpha_from_counts(accepted, 10, 5) == alpha


def test_two_values_printed_wrong_elsewhere() -> None:
    assert theory.speedup(0.9, 5, 0.05) == pytest.approx(3.7485, abs=1e-4)
    assert theory.speedup(0.7, 5, 0.1) == pytest.approx(1.9608, abs=1e-4)
    assert theory.speedup(Fraction(7, 10), 5, Fraction(1, 10)) == Fraction(98039, 50000)


BEST = {
    0.5: (5, 3, 2, 1),
    0.6: (7, 4, 3, 2),
    0.7: (9, 6, 4, 3),
    0.8: (14, 8, 6, 4),
    0.9: (24, 13, 10, 7),
}


@pytest.mark.parametrize("alpha", BEST)
def test_best_lengths(alpha: float) -> None:
    assert tuple(theory.best_k(alpha, c) for c in (0.01, 0.05, 0.1, 0.2)) == BEST[alpha]


@given(ALPHAS, st.fractions(0, 1, max_denominator=20), st.fractions(1, 3))
def test_best_is_best_of_all(alpha: Fraction, cost: Fraction, verify: Fraction) -> None:
    values = [theory.speedup(alpha, k, cost, verify) for k in range(13)]
    assert theory.best_k(alpha, cost, verify, longest=12) == values.index(max(values))


def test_the_price_of_a_step_is_drafting_and_verifying() -> None:
    half = Fraction(1, 2)
    assert theory.speedup(half, 1, half, 2) == Fraction(3, 2) / Fraction(5, 2)


def test_no_draft_helps_where_it_costs_as_much_as_it_is_accepted() -> None:
    assert theory.best_k(Fraction(3, 10), Fraction(3, 10)) == 0
    assert theory.best_k(Fraction(31, 100), Fraction(3, 10)) == 1
    assert theory.best_k(1, 0) == 64


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_is_a_probability(alpha: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        theory.tokens_per_step(alpha, 4)
    with pytest.raises(ValueError, match="probability"):
        theory.tokens_by_position([0.5, alpha])


@pytest.mark.parametrize("k", [-1, 2.5, float("inf"), float("nan"), "4"])
def test_k_is_a_length(k: int) -> None:
    with pytest.raises(ValueError, match="whole number"):
        theory.tokens_per_step(0.5, k)


def test_costs_are_not_negative() -> None:
    with pytest.raises(ValueError, match="draft_cost"):
        theory.speedup(0.5, 4, -0.1)
    with pytest.raises(ValueError, match="verify_cost"):
        theory.speedup(0.5, 4, 0.1, 0)
    with pytest.raises(ValueError, match="whole number"):
        theory.accepted_per_drafted(0.5, 0)


@pytest.mark.parametrize(("accepted", "drafted"), [(5, 4), (-1, 4), (0, 0)])
def test_counts_make_sense(accepted: int, drafted: int) -> None:
    with pytest.raises(ValueError, match="accepted"):
        theory.alpha_from_counts(accepted, drafted, 4)
