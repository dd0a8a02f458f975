"""Acceptance that varies, against enumeration and exact integrals."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import theory, varying

SHARES = st.fractions(0, 1, max_denominator=12)
LENGTHS = st.integers(1, 5)


@given(st.lists(SHARES, min_size=2, max_size=4), LENGTHS)
def test_a_mixture_emits_the_mean_of_its_parts(alphas: list[Fraction], k: int) -> None:
    weights = [Fraction(1, len(alphas))] * len(alphas)
    if not any(alphas):
        return
    rates = varying.rates_of_mixture(weights, alphas, k)
    parts = [theory.tokens_per_step(alpha, k) for alpha in alphas]
    assert theory.tokens_by_position(rates) == sum(parts) / len(parts)
    mean = sum(alphas, Fraction(0)) / len(alphas)
    assert theory.tokens_by_position(rates) >= theory.tokens_per_step(mean, k)


@given(LENGTHS)
def test_a_uniform_alpha_has_moments_one_over_n(k: int) -> None:
    rates = varying.rates_of_beta(Fraction(1, 2), Fraction(1, 3), k)
    integral = sum(Fraction(1, depth + 1) for depth in range(k + 1))
    assert theory.tokens_by_position(rates) == integral


@given(SHARES, LENGTHS)
def test_beta_ends_in_a_constant_and_in_all_or_nothing(mean: Fraction, k: int) -> None:
    constant = varying.rates_of_beta(mean, Fraction(0), k)
    assert constant == [mean] * k
    whole = varying.rates_of_beta(mean, Fraction(1), k)
    assert theory.tokens_by_position(whole) == 1 + mean * k


@given(SHARES, SHARES, SHARES, LENGTHS)
def test_texts_that_differ_more_emit_more(
    mean: Fraction, one: Fraction, other: Fraction, k: int
) -> None:
    less, more = (
        theory.tokens_by_position(varying.rates_of_beta(mean, correlation, k))
        for correlation in sorted((one, other))
    )
    assert less <= more


def long_run(mean: Fraction, correlation: Fraction, k: int) -> Fraction:
    """Tokens per step in the long run, from all right-and-wrongs of k + 2 positions.

    A step starts knowing the odds x that its first position is right. Enumerated: how
    many are right before the first wrong, and the odds that the next step's first is.
    """
    after = {True: mean + correlation * (1 - mean), False: mean * (1 - correlation)}

    def run(first: bool) -> tuple[Fraction, Fraction]:
        tokens = first_right = Fraction(0)
        for rest in product((True, False), repeat=k + 1):
            flags, odds = (first, *rest), Fraction(1)
            for before, now in zip(flags, rest, strict=False):
                odds *= after[before] if now else 1 - after[before]
            kept = next((d for d in range(k) if not flags[d]), k)
            tokens += odds * (kept + 1)
            first_right += odds * flags[kept + 1]
        return tokens, first_right

    (right, onward), (wrong, anew) = run(True), run(False)
    x = anew / (1 - onward + anew)
    return x * right + (1 - x) * wrong


@given(
    st.fractions(Fraction(1, 8), Fraction(7, 8), max_denominator=8),
    st.fractions(0, Fraction(7, 8), max_denominator=8),
    st.integers(1, 4),
)
def test_runs_are_the_long_run_of_the_chain(
    mean: Fraction, correlation: Fraction, k: int
) -> None:
    rates = varying.rates_in_runs(mean, correlation, k)
    assert theory.tokens_by_position(rates) == long_run(mean, correlation, k)


@given(SHARES, LENGTHS)
def test_independent_runs_are_one_alpha(mean: Fraction, k: int) -> None:
    assert varying.rates_in_runs(mean, Fraction(0), k) == [mean] * k


def test_no_tokens_no_rates() -> None:
    assert varying.rates_in_runs(Fraction(1, 2), Fraction(1, 2), 0) == []
    assert varying.rates_of_beta(Fraction(1, 2), Fraction(1, 2), 0) == []


@pytest.mark.parametrize(
    ("law", "mean", "correlation"),
    [("rates_in_runs", 0.5, 1), ("rates_in_runs", 1.5, 0), ("rates_of_beta", 0.5, 2),
     ("rates_of_beta", -1, 0), ("rates_of_beta", float("nan"), 0)],
)  # fmt: skip
def test_shares_are_shares(law: str, mean: float, correlation: float) -> None:
    with pytest.raises(ValueError, match=r"from 0 to"):
        getattr(varying, law)(mean, correlation, 3)


def test_nothing_accepted_has_no_rates() -> None:
    with pytest.raises(ValueError, match="nothing is ever accepted"):
        varying.rates_of_mixture([1], [0], 2)
