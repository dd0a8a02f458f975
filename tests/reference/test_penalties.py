from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.penalties import bias, presence_frequency, repetition_penalty

V = 4
INF = np.inf
LOGITS = st.lists(st.floats(-4, 4), min_size=V, max_size=V).map(np.array)
HISTORY = st.lists(st.integers(0, V - 1), max_size=6)


def test_penalties_worked_values() -> None:
    logits = np.array([2.0, -2.0, 1.0, -INF])
    assert bias(logits, {0: -1.5, 3: 9, 2: -INF}).tolist() == [0.5, -2, -INF, -INF]
    seen = [0, 1, 0, 3]
    assert repetition_penalty(logits, seen, 2).tolist() == [1, -4, 1, -INF]
    assert presence_frequency(logits, seen, 0.5, 0).tolist() == [1.5, -2.5, 1, -INF]
    assert presence_frequency(logits, seen, 0, 0.5).tolist() == [1, -2.5, 1, -INF]
    assert presence_frequency(logits, seen, 1, 2).tolist() == [-3, -5, 1, -INF]


@given(LOGITS, HISTORY, st.floats(-2, 2), st.floats(-2, 2), st.floats(0.5, 2))
def test_token_by_token(
    logits: Any, history: list[int], presence: float, frequency: float, r: float
) -> None:
    repeated = repetition_penalty(logits, history, r)
    counted = presence_frequency(logits, history, presence, frequency)
    for t, logit in enumerate(logits):
        n = history.count(t)
        assert repeated[t] == (
            logit if not n else logit / r if logit > 0 else logit * r
        )
        assert counted[t] == pytest.approx(logit - presence * bool(n) - frequency * n)


@given(LOGITS, HISTORY, st.randoms(use_true_random=False))
def test_the_order_of_history_does_not_matter(
    logits: Any, history: list[int], random: Any
) -> None:
    shuffled = random.sample(history, len(history))
    for function, numbers in (
        (repetition_penalty, (1.7,)),
        (presence_frequency, (1, 2)),
    ):
        np.testing.assert_array_equal(
            function(logits, history, *numbers), function(logits, shuffled, *numbers)
        )


@given(LOGITS, HISTORY)
def test_neutral_values_change_nothing(logits: Any, history: list[int]) -> None:
    np.testing.assert_array_equal(repetition_penalty(logits, history, 1), logits)
    np.testing.assert_array_equal(presence_frequency(logits, history, 0, 0), logits)
    np.testing.assert_array_equal(bias(logits, {}), logits)


@pytest.mark.parametrize("token", [-1, V])
def test_tokens_outside_the_vocabulary(token: int) -> None:
    with pytest.raises(ValueError, match=r"must be|outside the vocabulary"):
        bias(np.zeros(V), {token: 1.0})
    with pytest.raises(ValueError, match=f"token {token} is outside"):
        repetition_penalty(np.zeros(V), [0, token], 2)
    with pytest.raises(ValueError, match=f"token {token} is outside"):
        presence_frequency(np.zeros(V), [0, token], 1, 1)


def test_illegal_numbers() -> None:
    with pytest.raises(ValueError, match="repetition = 0: must be finite and > 0"):
        repetition_penalty(np.zeros(V), [], 0)
    with pytest.raises(ValueError, match="presence = inf: must be finite"):
        presence_frequency(np.zeros(V), [], INF, 0)
    with pytest.raises(ValueError, match="frequency = nan: must be finite"):
        presence_frequency(np.zeros(V), [], 0, np.nan)
    with pytest.raises(ValueError, match=r"logit_bias = .*: must be a mapping"):
        bias(np.zeros(V), {0: INF})
