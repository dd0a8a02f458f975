"""The command's answer, and what it refuses."""

import json
from typing import Any

import pytest

from specsim.closed_forms import speedup, text
from specsim.errors import Bad


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


@pytest.mark.parametrize(("given", "named"), BAD)
def test_refuses_in_one_line(given: dict[str, Any], named: str) -> None:
    with pytest.raises(Bad, match=named) as caught:
        speedup(**{"k": 4, "draft_cost": 0.1, **given})
    assert "\n" not in str(caught.value)
