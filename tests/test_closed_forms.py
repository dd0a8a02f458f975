"""The command's answer, and what it refuses."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.closed_forms import speedup, text
from specsim.errors import Bad

rates = st.floats(0, 1)


def test_keys_and_values() -> None:
    made = speedup(0.8, k=4, draft_cost=0.05).as_dict()
    assert list(made) == [
        "alpha",
        "k",
        "draft_cost",
        "tokens_per_step",
        "speedup",
        "best_k",
        "best_speedup",
        "counts",
    ]
    assert made["tokens_per_step"] == pytest.approx(2101 / 625)
    assert made["speedup"] == pytest.approx(2101 / 625 / 1.2)
    assert (made["best_k"], made["best_speedup"]) == (8, pytest.approx(3.09, abs=0.01))
    assert json.loads(json.dumps(made)) == made


def test_counts_give_alpha() -> None:
    made = speedup(k=4, draft_cost=0.05, accepted=369, drafted=625)
    assert made.alpha == pytest.approx(0.8)
    assert made.counts
    assert made.counts.ratio == pytest.approx(0.5904)
    assert made.counts.naive_tokens_per_step == pytest.approx(2.266, abs=1e-3)
    assert "not alpha" in text(made)


def test_text_says_when_no_draft_helps() -> None:
    assert "no draft" in text(speedup(0.1, k=4, draft_cost=0.2))
    assert "or more" in text(speedup(1, k=4, draft_cost=0))
    assert speedup(0.5, k=0, draft_cost=0.1).speedup == 1
    free = text(speedup(0, k=4, draft_cost=0))
    assert "1.000x" in free
    assert "none speeds decoding up" in free
    assert "slows" not in free


@pytest.mark.parametrize(
    ("alpha", "k", "draft_cost"),
    [
        (0.99, 200, 0),
        (0.9999999999999, 100, 1e-9),
        (1, 1000, 0),
        (1, 17, 1 - 2**-53),
        (0.5, 100, 0),
    ],
)
def test_the_best_is_never_worse_than_what_was_asked(
    alpha: float, k: int, draft_cost: float
) -> None:
    made = speedup(alpha, k=k, draft_cost=draft_cost)
    assert made.best_speedup >= made.speedup


@given(rates, st.integers(0, 40), rates)
def test_the_best_is_best_and_never_slower_than_no_draft(
    alpha: float, k: int, draft_cost: float
) -> None:
    made = speedup(alpha, k=k, draft_cost=draft_cost)
    assert made.best_speedup >= max(made.speedup, 1)
    again = speedup(alpha, k=made.best_k, draft_cost=draft_cost)
    assert again.speedup == made.best_speedup


def test_an_open_end_is_said() -> None:
    assert "k 1000 or more, 99.996x" in text(speedup(0.99, k=200, draft_cost=0))
    assert "or more, 2.000x" in text(speedup(0.5, k=4, draft_cost=0))
    assert "or more" not in text(speedup(0.9, k=4, draft_cost=0.01))


@pytest.mark.parametrize(
    ("accepted", "drafted", "k", "said"),
    [
        (5, 10, 1, "5 / 10 = 0.5; at k = 1 it is alpha"),
        (625, 625, 4, "625 / 625 = 1; with all accepted it is alpha"),
        (0, 625, 4, "0 / 625 = 0; with none accepted it is alpha"),
        (1234567, 1234568, 4, "1234567 / 1234568 = 0.999999; it is not alpha"),
    ],
)
def test_a_ratio_that_is_alpha_is_said_to_be(
    accepted: int, drafted: int, k: int, said: str
) -> None:
    made = speedup(k=k, draft_cost=0.05, accepted=accepted, drafted=drafted)
    assert said in text(made)
    assert made.counts
    equal = made.counts.ratio == pytest.approx(made.alpha, rel=1e-12, abs=0)
    assert equal == ("not alpha" not in said)


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        (0.999999999, "0.999999999,"),
        (0.99996, "0.99996,"),
        (1 - 2**-53, "0.9999999999999999,"),
        (0.8, "0.8,"),
        (1, "1,"),
    ],
)
def test_only_one_is_called_one(alpha: float, said: str) -> None:
    assert f"alpha {said}" in text(speedup(alpha, k=4, draft_cost=0.05))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"alpha": 1.5}, "alpha"),
    ({"alpha": -0.1}, "alpha"),
    ({"alpha": float("nan")}, "alpha"),
    ({"alpha": "x"}, "alpha"),
    ({}, "alpha"),
    ({"accepted": 3}, "both"),
    ({"alpha": 0.5, "accepted": 3, "drafted": 4}, "exclude"),
    ({"accepted": 5, "drafted": 4}, "accepted"),
    ({"accepted": 0, "drafted": 0}, "drafted"),
    ({"accepted": 1, "drafted": 2, "k": 0}, "k 0"),
    ({"alpha": 0.5, "k": -1}, "k -1"),
    ({"alpha": 0.5, "k": 2.5}, "k 2.5"),
    ({"alpha": 0.5, "k": 10**9}, "k 1000000000"),
    ({"alpha": 0.5, "k": True}, "k True"),
    ({"alpha": 0.5, "draft_cost": -1}, "draft_cost"),
    ({"alpha": 0.5, "draft_cost": float("inf")}, "draft_cost"),
]


@pytest.mark.parametrize(("asked", "named"), BAD)
def test_refuses_in_one_line(asked: dict[str, Any], named: str) -> None:
    with pytest.raises(Bad, match=named) as caught:
        speedup(**{"k": 4, "draft_cost": 0.1, **asked})
    assert "\n" not in str(caught.value)
