"""Every reading of a Source answers by the law it is asked for, one coin at a time."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from reference.probs import Probs
from reference.randomness import (
    PURPOSES,
    Refused,
    Source,
    Uniforms,
    branches,
    keyed,
    law,
    replay,
    sampler,
)

LAST = 1 - 2.0**-53
"""The largest uniform there is."""

weights = st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any)
uniform = st.one_of(st.just(0.0), st.just(LAST), st.floats(0, LAST))
index = st.integers(0, 2**64 - 1)


def fractions(integers: list[int]) -> Probs:
    return np.array([Fraction(w) for w in integers], dtype=object)


def all_at(u: float) -> Source:
    """Every coin falls at `u`."""
    return Uniforms(lambda coin: u)


READINGS: dict[str, Callable[[], Source]] = {
    "sampler": lambda: sampler(np.random.default_rng(1)),
    "keyed": lambda: keyed(1),
    "replay": lambda: replay([0.5], [0.5]),
}


@pytest.fixture(params=READINGS)
def source(request: pytest.FixtureRequest) -> Source:
    made: Source = READINGS[request.param]()
    return made


# Uniforms: what a number in [0, 1) decides


@given(u=uniform, prob=st.floats(0, 1))
def test_kept_iff_below(u: float, prob: float) -> None:
    assert all_at(u).accept(0, prob) == (u < prob)


@pytest.mark.parametrize("u", [0.0, 0.5, LAST])
def test_impossible_is_refused_and_certain_is_kept(u: float) -> None:
    assert not all_at(u).accept(0, 0.0)
    assert all_at(u).accept(0, 1.0)


def test_the_edge_of_an_interval_belongs_to_the_next() -> None:
    assert not all_at(0.25).accept(0, 0.25)
    assert all_at(0.25).sample(0, np.array([1.0, 1.0, 2.0])) == 1
    assert all_at(0.5).sample(0, np.array([1.0, 1.0, 2.0])) == 2


@given(u=uniform, integers=weights)
def test_drawn_is_the_first_whose_cdf_is_above(u: float, integers: list[int]) -> None:
    cdf = np.cumsum(integers)
    first = next(i for i, c in enumerate(cdf) if c > u * cdf[-1])
    assert all_at(u).sample(0, np.array(integers, float)) == first


@given(u=uniform, row=st.lists(st.floats(0, 1e3), min_size=1, max_size=9))
def test_what_has_no_weight_is_never_drawn(u: float, row: list[float]) -> None:
    if sum(row) > 1e-300:
        assert row[all_at(u).sample(0, np.array(row))] > 0


@given(u=uniform, integers=weights)
def test_fractions_and_floats_are_drawn_alike(u: float, integers: list[int]) -> None:
    exact = all_at(u).sample(0, fractions(integers))
    assert exact == all_at(u).sample(0, np.array(integers, float))


def test_nothing_to_draw_from(source: Source) -> None:
    with pytest.raises(Refused, match="nothing to draw from"):
        source.sample(0, np.zeros(3))


def test_margin_is_the_distance_to_the_nearest_other_decision() -> None:
    near = replay([0.5, 0.9], [0.3, 0.3])
    assert near.margin == 1
    near.accept(0, 0.25)
    assert near.margin == 0.25
    near.accept(1, 0.1)
    assert near.margin == 0.25
    near.sample(0, np.array([0.5, 0.0, 0.5]))
    assert near.margin == pytest.approx(0.2)
    near.sample(1, np.array([1.0, 1.0, 2.0]))
    assert near.margin == pytest.approx(0.05)


# Coins have names


def test_a_coin_is_tossed_once(source: Source) -> None:
    source.accept(0, 0.5)
    source.sample(0, np.ones(2))
    with pytest.raises(Refused, match=r"\('accept', 0\) was tossed before"):
        source.accept(0, 0.5)
    with pytest.raises(Refused, match=r"\('sample', 0\) was tossed before"):
        source.sample(0, np.ones(2))


def test_a_coin_is_tossed_once_in_an_exact_run_too() -> None:
    with pytest.raises(Refused, match="tossed before"):
        law(lambda s: (s.accept(0, Fraction(1, 2)), s.accept(0, Fraction(1, 2))))


def test_replay_reads_by_node_and_by_row() -> None:
    source = replay([0.1, 0.9], [0.9, 0.1, 0.5])
    assert not source.accept(1, 0.5)
    assert source.accept(0, 0.5)
    assert [source.sample(r, np.ones(2)) for r in (2, 0, 1)] == [1, 1, 0]


def test_sampler_reads_its_generator_in_turn() -> None:
    rng, source = np.random.default_rng(3), sampler(np.random.default_rng(3))
    for i in range(20):
        assert source.accept(i, 0.5) == (rng.random() < 0.5)


class Name(NamedTuple):
    seed: int
    request: int
    step: int
    purpose: str
    number: int

    @property
    def uniform(self) -> float:
        """What is behind this coin of a keyed Source."""
        return toss(keyed(*self[:3]), self.purpose, self.number)


names = st.builds(Name, index, index, index, st.sampled_from(PURPOSES), index)


def toss(source: Uniforms, purpose: str, i: int) -> float:
    """The uniform behind the first coin that `source` tosses, from which way it fell
    and how near that was.
    """
    if purpose == "accept":
        below = source.accept(i, 0.5)
    else:
        below = not getattr(source, purpose)(i, np.ones(2))
    return float(0.5 - source.margin if below else 0.5 + source.margin)


@given(name=names, other=names, part=st.sampled_from(Name._fields))
def test_keyed_coins_of_different_names_differ(
    name: Name, other: Name, part: str
) -> None:
    mixed = name._replace(**{part: getattr(other, part)})
    assert (name.uniform == mixed.uniform) == (name == mixed)


@given(coins=st.permutations([*product(PURPOSES, range(3))]))
def test_keyed_coins_do_not_depend_on_what_was_asked_before(
    coins: list[tuple[str, int]],
) -> None:
    source = keyed(7, 8, 9)
    for purpose, i in coins:
        ask = 0.5 if purpose == "accept" else np.ones(1000)
        alone = getattr(keyed(7, 8, 9), purpose)(i, ask)
        assert getattr(source, purpose)(i, ask) == alone


def test_keyed_uniforms_are_uniform() -> None:
    grid = product([1], [0], range(40), PURPOSES, range(10))
    drawn = [Name(*name).uniform for name in grid]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert abs(stats.pearsonr(drawn[:-1], drawn[1:]).statistic) < 0.1


# Exact laws


@given(integers=weights)
def test_law_of_a_draw_is_its_weights(integers: list[int]) -> None:
    total = sum(integers)
    expected = {i: Fraction(w, total) for i, w in enumerate(integers) if w}
    assert law(lambda s: s.sample(0, fractions(integers))) == expected
    assert law(lambda s: s.draft(0, fractions(integers))) == expected


@given(share=st.fractions(0, 1))
def test_law_of_a_flip_is_its_odds(share: Fraction) -> None:
    ways = {True: share, False: 1 - share}
    expected = {kept: odds for kept, odds in ways.items() if odds}
    assert law(lambda s: s.accept(0, share)) == expected


@given(rows=st.lists(weights, min_size=1, max_size=3))
def test_law_of_independent_coins_is_the_product(rows: list[list[int]]) -> None:
    def run(source: Source) -> tuple[int, ...]:
        return tuple(source.sample(r, fractions(row)) for r, row in enumerate(rows))

    found = law(run)
    assert sum(found.values()) == 1
    for outcome, odds in found.items():
        each = [Fraction(r[x], sum(r)) for r, x in zip(rows, outcome, strict=True)]
        assert odds == np.prod(np.array(each, dtype=object))


def test_each_way_is_gone_once_and_equal_outcomes_are_added() -> None:
    def run(source: Source) -> int:
        if source.accept(0, Fraction(1, 3)):
            return 0
        return source.sample(0, fractions([1, 1, 2])) % 2

    assert [odds for _, odds in branches(run)].count(Fraction(1, 3)) == 2
    assert len([*branches(run)]) == 4
    assert law(run) == {0: Fraction(5, 6), 1: Fraction(1, 6)}


@pytest.mark.parametrize(
    "leak",
    [
        lambda s: s.accept(0, 0.5),
        lambda s: s.accept(0, np.float64(1)),
        lambda s: s.sample(0, np.array([0.5, 0.5])),
        lambda s: s.draft(0, np.array([Fraction(1, 2), 0.5], dtype=object)),
    ],
    ids=["odds", "one", "row", "entry"],
)
def test_a_float_is_no_part_of_an_exact_run(leak: Callable[[Source], int]) -> None:
    with pytest.raises(TypeError, match="a float leaked into an exact run"):
        law(leak)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda s: s.accept(0, Fraction(-1, 3)),
        lambda s: s.accept(0, Fraction(4, 3)),
        lambda s: s.sample(0, fractions([2, -1])),
        lambda s: s.sample(0, fractions([0, 0])),
    ],
    ids=["below-0", "above-1", "negative", "empty"],
)
def test_what_is_no_probability_is_refused(wrong: Callable[[Source], int]) -> None:
    with pytest.raises(Refused):
        law(wrong)
