"""Synthetic lengths have the rates that were asked for."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import synthetic, theory
from reference.randomness import law
from specsim.rules import RULES

F = Fraction
SHARES = st.lists(st.fractions(0, 1, max_denominator=12), max_size=5)


def falling(shares: list[Fraction]) -> list[Fraction]:
    """Unconditional rates out of any conditional ones."""
    rates, rate = [], F(1)
    for share in shares:
        rate *= share
        rates.append(rate)
    return rates


def lengths(rates: list[Fraction]) -> dict[int, Fraction]:
    return law(lambda source: synthetic.accepted(rates, source))


def variance(rates: list[Fraction]) -> Fraction:
    seen = lengths(rates)
    mean = sum((n * odds for n, odds in seen.items()), F(0))
    return sum(((n - mean) ** 2 * odds for n, odds in seen.items()), F(0))


@given(shares=SHARES)
def test_each_token_is_accepted_at_its_rate(shares: list[Fraction]) -> None:
    rates = falling(shares)
    seen = lengths(rates)
    for i, rate in enumerate(rates):
        assert sum(odds for n, odds in seen.items() if n > i) == rate


@given(shares=SHARES)
def test_tokens_per_step_are_one_more_than_the_sum_of_the_rates(
    shares: list[Fraction],
) -> None:
    rates = falling(shares)
    given_before = synthetic.conditional(rates)
    assert theory.tokens_by_position(given_before) == 1 + sum(rates)


@given(shares=SHARES.filter(bool))
def test_steady_is_the_steadiest_of_its_mean(shares: list[Fraction]) -> None:
    rates = falling(shares)
    steady = synthetic.steady(1 + sum(rates), len(rates))
    assert sum(steady) == sum(rates)
    assert variance(steady) <= variance(rates)
    over = sum(rates) % 1
    assert variance(steady) == over * (1 - over)


def test_worked_schedules() -> None:
    assert synthetic.steady(F(17, 5), 4) == [1, 1, F(2, 5), 0]
    assert synthetic.steady(1, 3) == [0, 0, 0]
    assert synthetic.steady(4, 3) == [1, 1, 1]
    assert synthetic.conditional([F(1, 2), 0, 0]) == [F(1, 2), 0, 0]
    assert lengths([F(1, 2), F(1, 2)]) == {0: F(1, 2), 2: F(1, 2)}


@given(alpha=st.fractions(0, 1, max_denominator=12), k=st.integers(0, 5))
def test_geometric_rates_are_independent_acceptance(alpha: Fraction, k: int) -> None:
    rates = synthetic.geometric(alpha, k)
    assert 1 + sum(rates) == theory.tokens_per_step(alpha, k)
    assert lengths(rates) == lengths(falling([alpha] * k))


@pytest.mark.parametrize("rates", [[F(1, 2), F(2, 3)], [F(3, 2)], [F(-1, 2)]])
def test_rates_that_are_none_are_refused(rates: list[Fraction]) -> None:
    with pytest.raises(ValueError, match=r"rates\[\d\]=.* never rise"):
        synthetic.conditional(rates)


@pytest.mark.parametrize("length", [F(1, 2), 5, float("nan")])
def test_a_length_out_of_reach_is_refused(length: Fraction) -> None:
    with pytest.raises(ValueError, match="emits 1 to 4"):
        synthetic.steady(length, 3)


def test_it_is_no_rule() -> None:
    assert "synthetic" not in RULES
    assert not hasattr(synthetic, "verify")
