"""The exact law of a race that is read again, in the same weights or in others."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from scipy import integrate

from reference import races
from reference.model.table import row
from reference.probs import Probs
from reference.races import Reading
from reference.randomness import Refused, Source, law

F = Fraction
P, Q = row([3, 2, 1]), row([1, 1, 2])
DRAWS = 200_000

rows = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any).map(row)


def twice(q: Probs, p: Probs) -> dict[tuple[int, int], Fraction]:
    """The joint law of one race read with q and then with p."""
    return law(lambda source: (source.race(0, q), source.race(0, p)))


def frequent(odds: Mapping[Any, Fraction], found: Counter[tuple[int, ...]]) -> bool:
    """Are all outcomes as frequent as they should be, to five standard deviations?"""
    n = sum(found.values())
    return set(found) <= set(odds) and all(
        abs(found[x] - n * share) <= 5 * float(n * share * (1 - share)) ** 0.5
        for x, share in odds.items()
    )


@given(p=rows)
def test_a_race_is_won_by_its_weights(p: Probs) -> None:
    won = {x: w for x, w in enumerate(p) if w}
    assert law(lambda source: source.race(0, p)) == won
    assert law(lambda source: source.race(0, 7 * p)) == won


@given(p=rows, q=rows)
def test_both_readings_have_their_own_law(p: Probs, q: Probs) -> None:
    joint = twice(q, p)
    assert sum(joint.values()) == 1
    for x in range(3):
        assert sum(odds for (a, _), odds in joint.items() if a == x) == q[x]
        assert sum(odds for (_, b), odds in joint.items() if b == x) == p[x]


@given(p=rows, q=rows)
def test_the_readings_agree_as_often_as_daliri_musco_and_suresh_say(
    p: Probs, q: Probs
) -> None:
    joint = twice(q, p)
    for x in range(3):
        agree = 0
        if p[x] and q[x]:
            agree = 1 / sum(max(a / p[x], b / q[x]) for a, b in zip(p, q, strict=True))
        assert joint.get((x, x), 0) == agree


@given(p=rows, q=rows, x=st.integers(0, 2), y=st.integers(0, 2))
def test_the_readings_differ_as_often_as_the_integral_says(
    p: Probs, q: Probs, x: int, y: int
) -> None:
    """First x at a, then y at b: the ratio b / a lies in [q_y / p_y, q_x / p_x]."""
    assume(x != y and q[x] and p[y])
    a, b = q.astype(float), p.astype(float)
    low, high = a[y] / b[y], a[x] / b[x] if b[x] else np.inf
    cuts = [u / v for u, v in zip(a, b, strict=True) if v and low < u / v < high]
    ends = [low, *sorted(cuts), high]
    pieces = [
        integrate.quad(lambda r: 1 / np.maximum(a, r * b).sum() ** 2, *piece)[0]
        for piece in pairwise(ends)
        if low < high
    ]
    odds = twice(q, p).get((x, y), F(0))
    assert float(odds) == pytest.approx(a[x] * b[y] * sum(pieces), abs=1e-9)


def test_one_race_read_twice_alike_has_one_winner() -> None:
    assert twice(P, P) == {(x, x): odds for x, odds in enumerate(P)}


def test_weights_need_not_sum_to_one() -> None:
    assert twice(3 * Q, 7 * P) == twice(Q, P)


@pytest.mark.parametrize(
    ("q", "p"), [(P, Q), (row([1, 5, 0]), row([0, 2, 3])), (row([1, 0]), row([0, 1]))]
)
def test_the_joint_law_is_that_of_exponential_times(q: Probs, p: Probs) -> None:
    times = np.random.default_rng(1).standard_exponential((DRAWS, len(p)))
    with np.errstate(divide="ignore"):
        won = [(times / w.astype(float)).argmin(1).tolist() for w in (q, p)]
    assert frequent(twice(q, p), Counter(zip(*won, strict=True)))


def listed(lists: int) -> Callable[[Source], tuple[int, ...]]:
    """Each of the drafts reads its own list with Q, then the target all with P."""

    def run(source: Source) -> tuple[int, ...]:
        before = (np.append(np.tile(0 * Q, n), Q) for n in range(lists))
        drafts = [source.race(0, weights) % 3 for weights in before]
        return (*drafts, source.race(0, np.tile(P, lists)) % 3)

    return run


@pytest.mark.parametrize(
    ("lists", "matched"),
    [(1, F(23, 36)), (2, F(12091, 15120)), (3, F(584753, 665280))],
)
def test_the_law_given_readings_that_share_no_word(
    lists: int, matched: Fraction
) -> None:
    joint = law(listed(lists))
    for drafts in product(range(3), repeat=lists):
        each = sum(odds for won, odds in joint.items() if won[:-1] == drafts)
        assert each == np.prod(np.array([Q[x] for x in drafts], dtype=object))
    for x in range(3):
        assert sum(odds for won, odds in joint.items() if won[-1] == x) == P[x]
    assert sum(odds for won, odds in joint.items() if won[-1] in won[:-1]) == matched


def test_the_law_of_two_lists_is_that_of_exponential_times() -> None:
    times = np.random.default_rng(2).standard_exponential((DRAWS, 2, 3))
    p, q = P.astype(float), Q.astype(float)
    drafts = (times / q).argmin(2).T.tolist()
    target = (times.min(1) / p).argmin(1).tolist()
    assert frequent(law(listed(2)), Counter(zip(*drafts, target, strict=True)))


def test_words_that_nobody_read_before_run_on() -> None:
    """The reading before says nothing of half the weight: that half is won as ever."""
    earlier = (Reading(tuple(row([1, 1, 0, 0])), 0),)
    odds = races.law(earlier, tuple(row([1, 1, 1, 1])))
    assert odds == {0: F(1, 2), 2: F(1, 4), 3: F(1, 4)}


def test_races_of_other_names_know_nothing_of_each_other() -> None:
    joint = law(lambda source: (source.race(0, Q), source.race(1, P)))
    assert joint == {(x, y): Q[x] * P[y] for x, y in product(range(3), repeat=2)}


def test_a_third_reading_has_no_law_here() -> None:
    with pytest.raises(Refused, match="race 4 was read twice before"):
        law(lambda source: tuple(source.race(4, w) for w in (P, Q, P)))


@pytest.mark.parametrize("weights", [[0, 0], [2, -1]])
def test_what_is_no_row_of_weights_is_refused(weights: list[int]) -> None:
    with pytest.raises(Refused, match="nothing to draw from"):
        law(lambda source: source.race(0, np.array([F(w) for w in weights])))


def test_a_float_is_no_part_of_an_exact_race() -> None:
    with pytest.raises(TypeError, match="a float leaked into an exact run"):
        law(lambda source: source.race(0, np.array([0.5, 0.5])))
