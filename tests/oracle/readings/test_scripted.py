from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from typing import Any

import numpy as np
import pytest

from specsim.oracle import exact
from specsim.oracle.exact import Tokens
from specsim.oracle.readings import scripted
from specsim.oracle.readings.cells import Unfollowable
from specsim.oracle.readings.standin import StandIn
from specsim.oracle.readings.symbolic import (
    NotAFunction,
    TooManyPaths,
    law,
)
from tests.oracle.readings import foreign
from tests.oracle.readings.cases import Case, cases, chain
from tests.oracle.readings.foreign import Engine

STEPS: list[Engine] = [
    e for e in foreign.RIGHT if e not in (foreign.racing, foreign.handmade_race)
]
OTHERS: list[Engine] = [foreign.block, foreign.sampler_match]
WRONG: list[Engine] = [foreign.reusing_accept, foreign.one_for_all]


def run_of(engine: Engine, case: Case) -> Callable[[np.random.Generator], Tokens]:
    return lambda rng: tuple(engine(case.p, case.q, case.tokens, rng))


@pytest.mark.distribution
@pytest.mark.parametrize("engine", STEPS + OTHERS + WRONG, ids=lambda e: e.__name__)
def test_read_and_followed_laws_agree(engine: Engine) -> None:
    for case in cases(chain(3, 2)):
        read = scripted.law(run_of(engine, case))
        assert sum(read.law.values()) == 1
        assert exact.distance(read.law, followed(engine, case)) <= read.error_bound
        assert read.error_bound < 1e-6


def followed(engine: Engine, case: Case) -> exact.Law:
    run = run_of(engine, case)
    return law(lambda path: run(StandIn(path)))


@pytest.mark.distribution
def test_float32_coins_are_read() -> None:
    for case in cases(chain(3, 2)):
        with pytest.raises(Unfollowable):
            followed(foreign.float32_coins, case)
        read = scripted.law(run_of(foreign.float32_coins, case))
        assert exact.distance(read.law, case.want) <= read.error_bound + 2**-22


@pytest.mark.distribution
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_coin_mode_is_read(dtype: str) -> None:
    for case in cases(chain(3, 2)):
        engine = partial(foreign.from_coins, case.p, case.q, case.tokens)

        def run(accept: Any, sample: Any, engine: Any = engine) -> Tokens:
            return tuple(engine(accept.astype(dtype), sample.astype(dtype)))

        read = scripted.law_of_coins(run, len(case.tokens))
        assert exact.distance(read.law, case.want) <= read.error_bound + 2**-22


def test_single_precision_uniforms_are_read() -> None:
    read = scripted.law(lambda rng: bool(rng.random(dtype=np.float32) < 0.25))
    assert abs(read.law[True] - F(1, 4)) <= read.error_bound


def test_a_narrow_piece_between_two_others_is_found() -> None:
    cdf = np.array([0.5, 0.5 + 2.0**-20, 1.0])
    read = scripted.law(lambda rng: int(np.searchsorted(cdf, rng.random(), "right")))
    assert abs(read.law[1] - F(1, 2**20)) <= read.error_bound


def test_a_piece_between_two_alike_is_found() -> None:
    read = scripted.law(lambda rng: bool(0.3 < rng.random() < 0.4))
    assert abs(read.law[True] - F(1, 10)) <= read.error_bound


def test_coins_that_seldom_matter_are_found() -> None:
    read = scripted.law_of_coins(
        lambda accept, sample: bool((sample[0] < 0.01) != (sample[1] < 0.01)), 1
    )
    assert abs(float(read.law[True]) - 0.0198) <= read.error_bound


def test_a_swallowed_refusal_still_counts() -> None:
    def swallowing(rng: np.random.Generator) -> int:
        try:
            return int(rng.normal())
        except Exception:
            return 0

    with pytest.raises(Unfollowable):
        scripted.law(swallowing)


def test_a_race_is_not_taken_for_steps() -> None:
    case = next(cases(chain(3, 1)))
    with pytest.raises(NotAFunction, match="step function"):
        scripted.law(run_of(foreign.racing, case))


def test_luck_from_elsewhere_is_noticed() -> None:
    other = np.random.default_rng(0)
    with pytest.raises(NotAFunction, match="two outcomes"):
        scripted.law(lambda rng: bool(rng.random() < other.random()))


def test_limits() -> None:
    def retrying(rng: np.random.Generator) -> int:
        while rng.random() < 0.5:
            pass
        return 0

    with pytest.raises(TooManyPaths, match="one run"):
        scripted.law(retrying)
    with pytest.raises(TooManyPaths, match="0 runs left"):
        scripted.law(lambda rng: bool(rng.random() < 0.3), budget=40)
    with pytest.raises(TooManyPaths, match="runs left"):
        scripted.law(lambda rng: 0, expired=lambda: True)
    with pytest.raises(Unfollowable):
        scripted.law(lambda rng: bool(rng.normal() < 0))


def test_what_does_not_matter_costs_little() -> None:
    runs = 0

    def run(accept: Any, sample: Any) -> bool:
        nonlocal runs
        runs += 1
        return bool(accept[0] < 0.3)

    scripted.law_of_coins(run, 8)
    assert runs < 1000
