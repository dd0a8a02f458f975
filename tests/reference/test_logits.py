from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.logits import (
    Sampling,
    allowed,
    min_p,
    process,
    rows,
    softmax,
    temper,
    top_k,
    top_p,
)
from reference.probs import Probs
from reference.proposal import Proposal

V = 5
INF = np.inf

ANY_LOGIT = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-20, 20), st.just(-INF)
)  # whole numbers make ties common
LOGITS = (
    st.lists(ANY_LOGIT, min_size=1, max_size=6)
    .filter(lambda row: max(row) > -INF)
    .map(np.array)
)
FINITE = st.lists(st.floats(-4, 4), min_size=V, max_size=V)
TOKEN = st.integers(0, V - 1)
HISTORY = st.lists(TOKEN, max_size=4)


def not_the_last_token(prefix: tuple[int, ...]) -> Any:
    """A grammar with a state: no token twice in a row, and 0 only at the start."""
    mask = np.ones(V, dtype=bool)
    if prefix:
        mask[[0, prefix[-1]]] = False
    return mask


SAMPLINGS = st.builds(
    Sampling,
    temperature=st.sampled_from([0.0, 0.25, 1.0, 3.0]),
    top_k=st.integers(0, V + 1),
    top_p=st.sampled_from([0.0, 0.4, 0.9, 1.0]),
    min_p=st.sampled_from([0.0, 0.1, 1.0]),
    repetition=st.sampled_from([0.5, 1.0, 1.7]),
    presence=st.sampled_from([-1.0, 0.0, 0.6]),
    frequency=st.sampled_from([-0.5, 0.0, 0.8]),
    logit_bias=st.dictionaries(TOKEN, st.floats(-2, 2), max_size=2),
    allowed=st.sampled_from([None, not_the_last_token]),
)


@st.composite
def trees(draw: st.DrawFn) -> Proposal:
    tokens = draw(st.lists(TOKEN, max_size=6))
    parents = [draw(st.integers(-1, i - 1)) for i in range(len(tokens))]
    return Proposal(tokens, parents, np.empty((len(tokens), V)), "fixed")


def logits_for(tree: Proposal, draw: Any) -> Probs:
    return np.array([draw(FINITE) for _ in range(len(tree.tokens) + 1)])


def kept(logits: Probs) -> set[int]:
    return {token for token, logit in enumerate(logits) if logit > -INF}


def support(row: Probs) -> set[int]:
    return {token for token, mass in enumerate(row) if mass > 0}


def ranked(logits: Probs) -> list[int]:
    return sorted(range(len(logits)), key=lambda token: (-logits[token], token))


# Softmax and temperature


@given(LOGITS, st.floats(0.05, 10), st.floats(-100, 100))
def test_softmax_is_the_definition(logits: Probs, t: float, shift: float) -> None:
    weights = np.exp(logits / t - max(logits / t))
    row = softmax(logits, t)
    np.testing.assert_allclose(row, weights / weights.sum(), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(softmax(logits + shift, t), row, rtol=1e-9, atol=1e-99)
    assert row.sum() == pytest.approx(1, abs=1e-12)


def test_temperature_worked_values() -> None:
    logits = np.log([1.0, 2.0, 4.0])
    np.testing.assert_allclose(softmax(logits), [1 / 7, 2 / 7, 4 / 7])
    np.testing.assert_allclose(softmax(logits, 0.5), [1 / 21, 4 / 21, 16 / 21])
    np.testing.assert_allclose(softmax(2 * logits, 2.0), [1 / 7, 2 / 7, 4 / 7])


@given(LOGITS)
def test_temperature_zero_is_the_lowest_argmax(logits: Probs) -> None:
    expected = [float(i == list(logits).index(max(logits))) for i in range(len(logits))]
    assert softmax(logits, 0).tolist() == expected


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6, unique=True))
def test_temperature_to_zero_tends_to_greedy(logits: list[int]) -> None:
    row = np.array(logits, dtype=float)
    assert softmax(row, 1e-3).tolist() == softmax(row, 0).tolist()


def test_temperature_to_zero_splits_ties() -> None:
    assert softmax(np.array([1.0, 2.0, 2.0]), 1e-9).tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("t", [5e-324, 1e-300, 1e-8, 1.0, 1e308])
def test_extreme_logits_and_temperatures_are_stable(t: float) -> None:
    row = softmax(np.array([1e308, -1e308, 1e308, -INF]), t)
    assert row.sum() == 1
    assert row[0] == row[2]
    assert row[3] == 0
    if t < 1e308:
        assert row.tolist() == [0.5, 0, 0.5, 0]


@pytest.mark.parametrize("t", [-1.0, INF, -INF, np.nan, None, "warm"])
def test_bad_temperature(t: Any) -> None:
    with pytest.raises(ValueError, match=r"temperature = .*: must be finite and >= 0"):
        softmax(np.zeros(3), t)


@pytest.mark.parametrize("bad", [[0, np.nan], [INF, 0], [-INF, -INF]])
def test_bad_row_is_named(bad: list[float]) -> None:
    good = [0.0, -INF]
    with pytest.raises(ValueError, match=r"^row 2: "):
        softmax(np.array([good, good, bad, good]))
    with pytest.raises(ValueError, match=r"^row 2: "):
        rows(np.array([good, good, bad]), [0, 0], [-1, 0], Sampling())


def test_no_vocabulary() -> None:
    with pytest.raises(ValueError, match="no vocabulary"):
        softmax(np.zeros((3, 0)))
    with pytest.raises(ValueError, match="no vocabulary"):
        softmax(np.array(1.0))


# Filters


@given(LOGITS, st.integers(1, 7))
def test_top_k_keeps_exactly_k_lowest_token_first(logits: Probs, k: int) -> None:
    assert kept(top_k(logits, k)) == set(ranked(logits)[:k]) & kept(logits)
    assert kept(top_k(logits, 0)) == kept(logits)


@given(LOGITS, st.floats(0, 0.999))
def test_top_p_is_the_smallest_set_that_reaches_p(logits: Probs, p: float) -> None:
    row, order = softmax(logits), ranked(logits)
    stays = kept(top_p(logits, p))
    assert stays == set(order[: len(stays)]), "likeliest first"
    assert row[list(stays)].sum() >= p - 1e-12
    assert len(stays) == 1 or row[order[: len(stays) - 1]].sum() < p + 1e-12


def test_top_p_worked_values() -> None:
    logits = np.log([0.25, 0.5, 0.125, 0.125])
    assert kept(top_p(logits, 0.5)) == {1}, "0.5 reaches 0.5"
    assert kept(top_p(logits, 0.51)) == {0, 1}, "the token that crosses stays"
    assert kept(top_p(logits, 0.75)) == {0, 1}
    assert kept(top_p(logits, 0.8)) == {0, 1, 2}, "tied: the lowest id"
    assert kept(top_p(logits, 0.9)) == {0, 1, 2, 3}


def test_top_p_of_one_keeps_a_tail_lost_in_rounding() -> None:
    assert kept(top_p(np.array([0.0, -60.0, -700.0]), 1)) == {0, 1, 2}


def test_min_p_worked_values() -> None:
    logits = np.log([8.0, 4.0, 2.0, 1.0])
    assert kept(min_p(logits, 0.3)) == {0, 1}
    assert kept(min_p(logits, 0.1)) == {0, 1, 2, 3}
    assert kept(min_p(np.array([2.0, 1.0, 2.0]), 1)) == {0, 2}, "ties stay"
    assert kept(min_p(np.array([0.0, -1e4]), 0)) == {0, 1}


@given(LOGITS, st.floats(0, 1))
def test_min_p_is_the_definition(logits: Probs, m: float) -> None:
    row = softmax(logits)
    stays = kept(min_p(logits, m))
    for token in kept(logits):
        if abs(row[token] - m * row.max()) > 1e-12:
            assert (token in stays) == (row[token] > m * row.max())


@given(LOGITS)
def test_three_ways_to_say_greedy(logits: Probs) -> None:
    greedy = softmax(logits, 0).tolist()
    assert softmax(top_p(logits, 0)).tolist() == greedy
    assert softmax(top_k(logits, 1)).tolist() == greedy


@given(LOGITS, st.integers(0, 7), st.floats(0, 1))
def test_idempotent(logits: Probs, k: int, m: float) -> None:
    mask = logits >= np.median(logits[logits > -INF])
    steps: list[Callable[[Probs], Probs]] = [
        lambda x: top_k(x, k),
        lambda x: min_p(x, m),
        lambda x: allowed(x, mask),
        lambda x: temper(x, 0),
    ]
    for step in steps:
        np.testing.assert_array_equal(step(step(logits)), step(logits))


@given(LOGITS, st.floats(0, 1))
def test_top_p_twice_only_cuts_deeper(logits: Probs, p: float) -> None:
    once = top_p(logits, p)
    assert kept(top_p(once, p)) <= kept(once) <= kept(logits)


def test_top_p_twice_is_a_fault() -> None:
    once = top_p(np.log([0.5, 0.3, 0.2]), 0.6)
    assert (kept(once), kept(top_p(once, 0.6))) == ({0, 1}, {0})


@given(st.lists(FINITE, min_size=1, max_size=3), st.integers(0, 6), st.floats(0, 1))
def test_a_stack_is_its_rows(stack: list[list[float]], k: int, x: float) -> None:
    logits = np.array(stack)
    mask = not_the_last_token((1,))
    np.testing.assert_array_equal(top_k(logits, k), [top_k(r, k) for r in logits])
    np.testing.assert_array_equal(top_p(logits, x), [top_p(r, x) for r in logits])
    np.testing.assert_array_equal(min_p(logits, x), [min_p(r, x) for r in logits])
    np.testing.assert_array_equal(softmax(logits, x), [softmax(r, x) for r in logits])
    np.testing.assert_array_equal(
        allowed(logits, mask), [allowed(r, mask) for r in logits]
    )


def test_the_mask_is_a_row_of_booleans() -> None:
    assert kept(allowed(np.zeros(3), np.array([True, False, True]))) == {0, 2}
    with pytest.raises(ValueError, match="not bool"):
        allowed(np.zeros(3), np.array([1, 0, 1]))
    with pytest.raises(ValueError, match="not bool"):
        allowed(np.zeros(3), np.array([True]))
    with pytest.raises(ValueError, match="no token is left"):
        allowed(np.array([0.0, -INF]), np.array([False, True]))


@pytest.mark.parametrize("token", [-1, V])
def test_tokens_outside_the_vocabulary(token: int) -> None:
    words = f"token {token} is outside the vocabulary of {V}"
    with pytest.raises(ValueError, match=words):
        process(np.zeros(V), Sampling(), [0, token])
    with pytest.raises(ValueError, match=f"row 1: {words}"):
        rows(np.zeros((2, V)), [token], [-1], Sampling())


@given(FINITE, HISTORY)
def test_the_default_is_softmax(logits: list[float], history: list[int]) -> None:
    row = np.array(logits)
    np.testing.assert_array_equal(process(row, Sampling(), history), softmax(row))


def test_a_ban_does_not_hide_a_broken_logit() -> None:
    for broken in (INF, np.nan):
        with pytest.raises(ValueError, match=r"NaN or \+inf"):
            process(np.array([broken, 0.0]), Sampling(logit_bias={0: -INF}))


# The record


@pytest.mark.parametrize(
    ("name", "values", "legal"),
    [
        ("temperature", [-0.1, INF, np.nan, "1"], ">= 0"),
        ("top_k", [-1, 1.5, np.nan, INF, None], "whole number >= 0"),
        ("top_p", [-0.1, 1.1, np.nan], r"in \[0, 1\]"),
        ("min_p", [-0.1, 1.1, np.nan], r"in \[0, 1\]"),
        ("repetition", [0, -1, INF, np.nan], "> 0"),
        ("presence", [INF, -INF, np.nan], "finite"),
        ("frequency", [INF, -INF, np.nan], "finite"),
        ("logit_bias", [{0: INF}, {0: np.nan}, {-1: 0}, {"a": 0}, [1]], "a mapping"),
        ("allowed", [np.ones(3, dtype=bool)], "a function"),
    ],
)
def test_illegal_values_name_field_and_range(
    name: str, values: list[Any], legal: str
) -> None:
    for value in values:
        with pytest.raises(ValueError, match=rf"(?s)^{name} = .*: must be .*{legal}"):
            Sampling(**{name: value})


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (top_k, (-1,)),
        (top_p, (1.5,)),
        (min_p, (-0.5,)),
    ],
)
def test_functions_refuse_what_the_record_refuses(
    function: Any, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(ValueError, match="must be"):
        function(np.zeros(3), *arguments)


# One row: the order of operations


def test_temperature_comes_before_the_filters() -> None:
    logits = np.log([0.6, 0.3, 0.1])  # at temperature 1/2: 36/46, 9/46, 1/46
    assert support(process(logits, Sampling(temperature=0.5, top_p=0.7))) == {0}
    assert support(process(logits, Sampling(temperature=0.5, min_p=0.3))) == {0}
    assert support(process(logits, Sampling(top_p=0.7))) == {0, 1}


def test_top_p_counts_what_top_k_has_left() -> None:
    logits = np.log([0.4, 0.3, 0.2, 0.1])  # top-2: 4/7, 3/7
    assert support(process(logits, Sampling(top_k=2, top_p=0.5))) == {0}


def test_top_p_does_not_see_min_p() -> None:
    logits = np.log([0.4, 0.35, 0.25])  # after min-p: 8/15, 7/15
    assert support(process(logits, Sampling(top_p=0.5, min_p=0.8))) == {0, 1}


def test_bias_comes_before_the_repetition_penalty() -> None:
    row = process(np.zeros(2), Sampling(logit_bias={0: 2.0}, repetition=2.0), [0])
    np.testing.assert_allclose(row, softmax(np.array([1.0, 0.0])))


def test_presence_comes_after_the_repetition_penalty() -> None:
    row = process(np.array([4.0, 0.0]), Sampling(repetition=2.0, presence=3.0), [0])
    np.testing.assert_allclose(row, softmax(np.array([-1.0, 0.0])))


def test_filters_count_allowed_tokens_only() -> None:
    def last_two(prefix: tuple[int, ...]) -> Any:
        return np.array([False, True, True])

    logits = np.array([9.0, 2.0, 1.0])
    assert support(process(logits, Sampling(top_k=1, allowed=last_two))) == {1}
    assert support(process(logits, Sampling(temperature=0, allowed=last_two))) == {1}


def test_the_prompt_counts_for_repetition_only() -> None:
    seen = []

    def watch(prefix: tuple[int, ...]) -> Any:
        seen.append(prefix)
        return np.ones(3, dtype=bool)

    logits = np.array([2.0, 2.0, 2.0])
    sampling = Sampling(repetition=2.0, presence=0.5, frequency=0.25, allowed=watch)
    row = process(logits, sampling, [0, 0, 1], prompt_length=2)
    np.testing.assert_allclose(row, softmax(np.array([1.0, 0.25, 2.0])))
    row = process(logits, sampling, [0, 0, 1])
    np.testing.assert_allclose(row, softmax(np.array([0.0, 0.25, 2.0])))
    assert seen == [(1,), (0, 0, 1)]
    with pytest.raises(ValueError, match="a prompt of 2 in a history of 1"):
        process(logits, sampling, [0], prompt_length=2)


# The tree: each row sees its own path


@given(trees(), SAMPLINGS, HISTORY, st.data())
def test_rows_are_plain_decoding_along_every_path(
    tree: Proposal, sampling: Sampling, history: list[int], data: st.DataObject
) -> None:
    logits = logits_for(tree, data.draw)
    prompt = data.draw(st.integers(0, len(history)))
    tree_rows = rows(logits, tree.tokens, tree.parents, sampling, history, prompt)
    assert tree_rows.shape == logits.shape
    for node in range(-1, len(tree.tokens)):
        prefix = [*history, *tree.path(node)]
        plain = process(logits[node + 1], sampling, prefix, prompt)
        np.testing.assert_array_equal(tree_rows[node + 1], plain)


@given(trees(), HISTORY, st.floats(-2, 2), st.floats(-2, 2), st.floats(0.5, 2))
def test_penalties_count_each_token_once_per_occurrence(
    tree: Proposal, history: list[int], presence: float, frequency: float, r: float
) -> None:
    sampling = Sampling(repetition=r, presence=presence, frequency=frequency)
    logits = np.ones((len(tree.tokens) + 1, V))
    tree_rows = rows(logits, tree.tokens, tree.parents, sampling, history)
    for node in range(-1, len(tree.tokens)):
        seen = [*history, *tree.path(node)]
        expected = [
            1 / r - presence - frequency * seen.count(t) if t in seen else 1.0
            for t in range(V)
        ]
        np.testing.assert_allclose(tree_rows[node + 1], softmax(np.array(expected)))


@given(trees(), SAMPLINGS, HISTORY, TOKEN, st.data())
def test_a_rejected_branch_never_leaks(
    tree: Proposal, sampling: Sampling, history: list[int], token: int, data: Any
) -> None:
    logits = logits_for(tree, data.draw)
    before = rows(logits, tree.tokens, tree.parents, sampling, history)
    for changed in range(len(tree.tokens)):
        tokens = [*tree.tokens[:changed], token, *tree.tokens[changed + 1 :]]
        after = rows(logits, tokens, tree.parents, sampling, history)
        below = {changed}
        for node, parent in enumerate(tree.parents):
            if parent in below:
                below.add(node)
        elsewhere = [0, *(i + 1 for i in range(len(tokens)) if i not in below)]
        np.testing.assert_array_equal(after[elsewhere], before[elsewhere])


@given(trees(), SAMPLINGS, HISTORY, st.data())
def test_no_row_has_mass_outside_its_support(
    tree: Proposal, sampling: Sampling, history: list[int], data: st.DataObject
) -> None:
    logits = logits_for(tree, data.draw)
    tree_rows = rows(logits, tree.tokens, tree.parents, sampling, history)
    np.testing.assert_allclose(tree_rows.sum(-1), 1)
    for node, row in enumerate(tree_rows, start=-1):
        prefix = (*history, *tree.path(node))
        if sampling.allowed:
            assert support(row) <= set(np.flatnonzero(sampling.allowed(prefix)))
        if sampling.top_k:
            assert len(support(row)) <= sampling.top_k
        if sampling.temperature == 0 or sampling.top_p == 0:
            assert len(support(row)) == 1
        assert row[row > 0].min() >= sampling.min_p * row.max() * (1 - 1e-12)


def test_chain_worked_values() -> None:
    sampling = Sampling(frequency=1.0, allowed=not_the_last_token)
    chain = rows(np.zeros((3, V)), [1, 2], [-1, 0], sampling, history=[1])
    e, ee = np.exp(-1), np.exp(-2)
    np.testing.assert_allclose(chain[0], np.array([0, 0, 1, 1, 1]) / 3)
    np.testing.assert_allclose(chain[1], np.array([0, 0, 1, 1, 1]) / 3)
    np.testing.assert_allclose(chain[2], np.array([0, ee, 0, 1, 1]) / (2 + ee))
    fork = rows(np.zeros((3, V)), [1, 2], [-1, -1], sampling, history=[1])
    np.testing.assert_allclose(fork[2], np.array([0, e, 0, 1, 1]) / (2 + e))


def test_no_draft_is_plain_decoding() -> None:
    logits = np.arange(V, dtype=float)
    sampling = Sampling(repetition=1.5)
    alone = rows(logits[None], [], [], sampling, [4])
    np.testing.assert_array_equal(alone, [process(logits, sampling, [4])])


def test_a_row_that_the_grammar_empties_is_named() -> None:
    def stuck_after_two(prefix: tuple[int, ...]) -> Any:
        return np.full(V, prefix != (1, 2))

    sampling = Sampling(allowed=stuck_after_two)
    with pytest.raises(ValueError, match="row 2: no token is left"):
        rows(np.zeros((3, V)), [1, 2], [-1, 0], sampling)


def test_a_tree_that_is_none() -> None:
    with pytest.raises(ValueError, match="N \\+ 1, N and N"):
        rows(np.zeros((2, V)), [0, 1], [-1, 0], Sampling())
    with pytest.raises(ValueError, match="N \\+ 1, N and N"):
        rows(np.zeros((3, V)), [0, 1], [-1], Sampling())
    for parents in ([0, -1], [-1, 1], [-1, -2]):
        with pytest.raises(ValueError, match="the parent of node"):
            rows(np.zeros((3, V)), [0, 1], parents, Sampling())
