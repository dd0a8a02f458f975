"""A race that is read again is run in the same times, whoever gives them."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from reference.model.table import row
from reference.randomness import Refused, Shifted, Source, keyed, replay, sampler
from tests.reference.test_races import P, Q, frequent, twice

F = Fraction

READINGS: dict[str, Callable[[], Source]] = {
    "sampler": lambda: sampler(np.random.default_rng(1)),
    "keyed": lambda: keyed(1),
    "replay": lambda: replay([], [], np.array([[0.3, 1.2, 0.7, 0.1], [2, 1, 1, 3]])),
    "shifted": lambda: Shifted(keyed(1), 5),
}


@pytest.fixture(params=READINGS)
def source(request: pytest.FixtureRequest) -> Source:
    made: Source = READINGS[request.param]()
    return made


def test_every_reading_is_of_the_same_times(source: Source) -> None:
    """A word is beaten by each other at a ratio of weights that is theirs for good."""
    for a, b in ((0, 1), (1, 2), (0, 2)):
        ahead = [
            source.race(0, np.where(np.arange(3) == a, w, np.arange(3) == b)) == a
            for w in np.linspace(0.01, 30, 200)
        ]
        assert ahead == sorted(ahead)
    first = source.race(0, np.ones(3))
    assert source.race(0, np.ones(3)) == first
    assert source.race(0, np.array([1.0, 1, 1, 0])) == first


def test_what_has_no_weight_does_not_run(source: Source) -> None:
    for x in range(3):
        assert source.race(1, np.where(np.arange(3) == x, 1e-9, 0.0)) == x
    with pytest.raises(Refused, match="nothing to draw from in race"):
        source.race(1, np.zeros(3))


def test_a_time_of_zero_wins_only_with_weight_and_ties_fall_to_the_lowest() -> None:
    source = replay([], [], [[0.0, 2.0, 1.0, 0.0]])
    assert source.race(0, np.array([0, 1.0, 1.0, 0])) == 2
    assert source.race(0, np.array([0, 2.0, 1.0, 0])) == 1
    assert source.race(0, np.ones(4)) == 0


def test_the_least_weights_there_are_run_too() -> None:
    source = replay([], [], [[1.0, 2.0, 3.0]])
    assert source.race(0, np.array([5e-324, 1.0, 1.0])) == 1
    assert source.race(0, np.array([0.0, 0.0, 5e-324])) == 2


def test_fractions_and_floats_run_alike() -> None:
    times = np.array([[F(3, 8), F(1, 2), F(5, 4)]])
    exact, floats = replay([], [], times), replay([], [], times.astype(float))
    for weights in product(range(4), repeat=3):
        if any(weights):
            assert exact.race(0, row(weights)) == floats.race(0, np.array(weights))


def test_margin_is_the_time_by_which_a_race_was_won() -> None:
    source = replay([], [], [[0.5, 0.75, 4.0]])
    source.race(0, np.array([0.0, 0.0, 1.0]))
    assert source.margin == 1
    source.race(0, np.array([1.0, 1.0, 0.0]))
    assert source.margin == 0.25
    source.race(0, np.array([0.5, 1.0, 0.0]))
    assert source.margin == 0.25


def test_without_times_there_is_no_race() -> None:
    with pytest.raises(Refused, match="no times were given"):
        replay([0.5], [0.5]).race(0, np.ones(2))


def test_keyed_races_depend_on_their_name_alone() -> None:
    wide = np.ones(50)
    alone = [keyed(7, 8, 9).race(d, wide) for d in range(30)]
    assert len(set(alone)) > 15
    together = keyed(7, 8, 9)
    together.accept(0, 0.5)
    assert [together.race(d, wide) for d in reversed(range(30))] == alone[::-1]
    assert [Shifted(keyed(7, 8, 9), d).race(0, wide) for d in range(30)] == alone
    for other in (keyed(6, 8, 9), keyed(7, 7, 9), keyed(7, 8, 8)):
        assert [other.race(d, wide) for d in range(30)] != alone


@pytest.mark.parametrize("name", ["sampler", "keyed"])
def test_sampled_races_are_won_as_the_exact_law_says(name: str) -> None:
    rng = np.random.default_rng(3)
    p, q = P.astype(float), Q.astype(float)
    found: Counter[tuple[int, ...]] = Counter()
    for step in range(4000):
        source = sampler(rng) if name == "sampler" else keyed(1, step=step)
        found[source.race(2, q), source.race(2, p)] += 1
    assert frequent(twice(Q, P), found)
