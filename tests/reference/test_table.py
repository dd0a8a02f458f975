from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference.model.table import argmax, constant, row, table

prefixes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(weights=st.lists(st.integers(0, 2**70), min_size=1, max_size=5).filter(any))
def test_row_is_the_weights_over_their_sum(weights: list[int]) -> None:
    made = row(weights)
    assert made.dtype == object
    assert all(type(w) is Fraction for w in made)
    assert [w * sum(weights) for w in made] == weights


def test_row_needs_some_weight() -> None:
    with pytest.raises(ZeroDivisionError):
        row([0, 0])


def test_constant_rows_go_by_depth_and_the_last_stays() -> None:
    rows = constant([1, 0], [0, 1])
    made = [list(rows(prefix)) for prefix in [(), (0,), (1,), (1, 1), (0, 1, 0)]]
    assert made == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]


@given(prefix=prefixes, seed=st.integers(0, 9))
def test_table_rows_are_probabilities_and_do_not_change(
    prefix: tuple[int, ...], seed: int
) -> None:
    first, again = table(seed, 4)(prefix), table(seed, 4)(prefix)
    assert sum(first) == 1
    assert min(first) >= 0
    assert list(first) == list(again)


def test_table_rows_depend_on_seed_and_on_the_whole_prefix() -> None:
    rows = [table(0, 4)(s) for s in [(), (0,), (1,), (0, 1), (1, 1), (1, 0)]]
    rows.append(table(1, 4)(()))
    assert len({tuple(r) for r in rows}) == len(rows)


def test_table_rows_hold_some_zeros() -> None:
    rows = [table(seed, 4)((1,)) for seed in range(20)]
    assert {0 in r for r in rows} == {True, False}


@given(prefix=prefixes, seed=st.integers(0, 9))
def test_argmax_is_certain_of_the_likeliest(prefix: tuple[int, ...], seed: int) -> None:
    soft = table(seed, 4)
    certain = argmax(soft)(prefix)
    assert sorted(certain) == [0, 0, 0, 1]
    assert np.argmax(certain) == np.argmax(soft(prefix))


def test_argmax_takes_the_lowest_of_equals() -> None:
    assert list(argmax(constant([1, 2, 2]))(())) == [0, 1, 0]
