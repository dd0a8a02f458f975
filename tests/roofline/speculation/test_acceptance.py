"""Tokens per step on arrays, against the exact forms and enumeration."""

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import theory, trees, varying
from specsim.errors import Bad
from specsim.roofline.speculation import rows
from specsim.roofline.speculation.acceptance import (
    Alike,
    Emitted,
    Paths,
    Positions,
    Runs,
    Texts,
    ranks,
    tokens,
    variance,
)
from specsim.roofline.speculation.alpha import acceptance as alpha_of

ALPHAS = st.floats(0, 1)


@given(ALPHAS, st.integers(0, 40))
def test_one_alpha_is_the_closed_form(alpha: float, k: int) -> None:
    exact = theory.tokens_per_step(Fraction(alpha), k)
    assert tokens(Alike(alpha), k) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("alpha", [0, 1e-300, 1 - 2**-53, 1 - 1e-9, 1])
def test_ends_of_the_range_keep_their_digits(alpha: float) -> None:
    exact = float(theory.tokens_per_step(Fraction(alpha), 100))
    assert tokens(Alike(alpha), 100) == pytest.approx(exact, rel=1e-13)


def test_arrays_are_their_scalars() -> None:
    alpha, k = np.linspace(0, 1, 11), np.arange(7)[:, None]
    together = tokens(Alike(alpha), k)
    assert together.shape == (7, 11)
    for row, length in zip(together, range(7), strict=True):
        assert row.tolist() == [tokens(Alike(a), length) for a in alpha]


@pytest.mark.parametrize(
    "given",
    [Positions((0.9, 0.5, 0.7)), Texts(0.6, 0.3), Runs(0.6, 0.3), Paths(0.6, 4)],
)
def test_lengths_in_an_array_are_computed_each_by_itself(given: Any) -> None:
    k = np.array([[3, 0], [1, 2]])
    apart = [[tokens(given, int(one)) for one in row] for row in k]
    assert tokens(given, k).tolist() == apart


def test_every_model_is_the_reference_of_its_name() -> None:
    by_position = theory.tokens_by_position
    assert tokens(Positions((0.9, 0.5)), 2) == by_position([0.9, 0.5])
    for kind, law in ((Texts, varying.rates_of_beta), (Runs, varying.rates_in_runs)):
        rates = law(Fraction(3, 5), Fraction(1, 4), 5)
        exact = float(by_position(rates))
        assert tokens(kind(0.6, 0.25), 5) == pytest.approx(exact, rel=1e-14)
    paths = float(sum(trees.independent_paths(Fraction(3, 5), 4, 5)))
    assert tokens(Paths(0.6, 5), 4) == pytest.approx(paths, rel=1e-14)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_the_variance_is_that_of_the_count(rates: list[float]) -> None:
    alive = [1.0, *np.cumprod(rates), 0.0]
    odds = [now - then for now, then in pairwise(alive)]
    counts = np.arange(1, len(alive))
    mean = float(np.dot(odds, counts))
    by_hand = float(np.dot(odds, (counts - mean) ** 2))
    found = variance(Positions(tuple(rates)), len(rates))
    assert found == pytest.approx(by_hand, abs=1e-12)


@given(st.floats(0.01, 1), st.integers(1, 30))
def test_ranks_fall_and_leave_something(alpha: float, width: int) -> None:
    found = ranks(Alike(alpha), width)
    assert found[0] == alpha
    assert all(a >= b for a, b in pairwise(found))
    assert sum(found) <= 1 + 1e-12


def test_more_acceptance_emits_more() -> None:
    alpha = np.linspace(0, 1, 50)
    for k in range(1, 9):
        assert np.all(np.diff(tokens(Alike(alpha), k)) > 0)
    chain = tokens(Alike(0.7), np.arange(20))
    assert np.all(np.diff(chain) > 0)


def test_rates_are_read_from_json(tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    file.write_text(json.dumps({"acceptance": [0.9, 1, 0], "tokens_per_step": 3}))
    assert alpha_of(str(file)) == Positions((0.9, 1.0, 0.0))


def test_what_a_command_line_says() -> None:
    assert alpha_of("0.8") == Alike(0.8)
    assert alpha_of("0.9,0.5") == Positions((0.9, 0.5))
    assert alpha_of(np.float32(0.5)) == Alike(0.5)
    given = Runs(0.5, 0.1)
    assert alpha_of(given) is given


@pytest.mark.parametrize(
    "written",
    ["", "[0.5]", "{}", '{"acceptance": 0.5}', '{"acceptance": []}', "nan",
     '{"acceptance": [0.5, 1.5]}', '{"acceptance": [NaN]}', '{"acceptance": [true]}',
     '{"acceptance": ["0.5"]}', "[" * 100_000],
)  # fmt: skip
def test_a_file_that_is_none(tmp_path: Path, written: str) -> None:
    file = tmp_path / "made.json"
    file.write_text(written)
    with pytest.raises(Bad, match="alpha"):
        alpha_of(str(file))


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Bad, match="No such file"):
        alpha_of(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "alpha",
    [-0.1, 1.1, float("nan"), "1.5", "NaN", "0.5,2", "", None, {}, [], (), [0.5, 2],
     ["a"], [None], [True], np.array([]), np.array([0.5, -1]), np.array(["a"]),
     object()],
)  # fmt: skip
def test_alpha_is_a_probability(alpha: Any) -> None:
    with pytest.raises(Bad, match="alpha"):
        alpha_of(alpha)


def test_positions_end() -> None:
    with pytest.raises(Bad, match="2 positions"):
        tokens(Positions((0.5, 0.5)), 3)


@pytest.mark.parametrize("emitted", [0.9, 5.1, float("nan")])
def test_a_step_of_four_emits_one_to_five(emitted: float) -> None:
    with pytest.raises(Bad, match="1 to one more"):
        tokens(Emitted(emitted), 4)
    assert tokens(Emitted(5.0), 4) == 5.0
    with pytest.raises(Bad, match="mean"):
        variance(Emitted(3.0), 4)


def test_correlation_out_of_range() -> None:
    with pytest.raises(Bad, match="correlation"):
        tokens(Runs(0.5, 1.0), 3)


def test_block_verification_gains_what_theory_says() -> None:
    p, q = [1, 2], [2, 1]
    chain = tokens(rows.positions(p, q, 2), 2)
    block = tokens(rows.positions(p, q, 2, "block"), 2)
    match = tokens(rows.positions(p, q, 2, "match"), 2)
    third = Fraction(1, 3)
    assert chain == pytest.approx(float(19 * third / 3))
    assert block == pytest.approx(float(20 * third / 3))
    same = Fraction(4, 9)
    assert match == pytest.approx(float(1 + same + same**2))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.integers(1, 4))
def test_rules_rank_as_they_must(weights: list[int], k: int) -> None:
    p, q = weights, weights[::-1]
    match, chain, block = (
        tokens(rows.positions(p, q, k, rule), k) for rule in ("match", "chain", "block")
    )
    assert match <= chain + 1e-12
    assert chain <= block + 1e-12
    assert tokens(rows.positions(p, p, k), k) == pytest.approx(k + 1)


@pytest.mark.parametrize(
    ("p", "q", "k", "by"),
    [([1], [1, 2], 1, "chain"), ([1, 1], [1, 1], 60, "chain"), ([1], [1], 1, "x"),
     ([], [], 1, "chain")],
)  # fmt: skip
def test_rows_out_of_reach(p: list[int], q: list[int], k: int, by: str) -> None:
    with pytest.raises(Bad):
        rows.positions(p, q, k, by)
