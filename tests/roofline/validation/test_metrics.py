"""Errors as fractions, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.roofline.validation.metrics import Outcome, groups, metrics


def outcome(measured: float, predicted: float, **labels: str) -> Outcome:
    low, high = 0.9 * predicted, 1.1 * predicted
    return Outcome("a", "decode", measured, predicted, low, high, labels)


def test_by_hand() -> None:
    held = [outcome(10, 11), outcome(10, 8), outcome(10, 10), outcome(10, 16)]
    made = metrics(held)
    assert made == {
        "n": 4,
        "mape": pytest.approx(0.225),
        "median_ape": pytest.approx(0.15),
        "p90_ape": pytest.approx(0.48),
        "bias": pytest.approx(0.125),
        "coverage": 0.5,
    }


def test_nothing_to_compare() -> None:
    assert metrics([]) == {"n": 0}
    assert groups([]) == []


sizes = st.floats(1e-3, 1e6)


@given(st.lists(st.tuples(sizes, sizes), min_size=1, max_size=20))
def test_bounds(pairs: list[tuple[float, float]]) -> None:
    made = metrics([outcome(*pair) for pair in pairs])
    assert made["n"] == len(pairs)
    assert abs(made["bias"]) <= made["mape"] + 1e-6
    assert 0 <= made["coverage"] <= 1
    assert made["median_ape"] <= max(made["p90_ape"], made["median_ape"])


def test_groups_of_a_label_add_up() -> None:
    held = [outcome(10, 11, by="x"), outcome(10, 12, by="x"), outcome(10, 13, by="y")]
    made = groups(held)
    assert [(row["by"], row["group"], row["n"]) for row in made] == [
        ("by", "x", 2),
        ("by", "y", 1),
    ]
