"""Known constants come back, through noise that only ever slows things down."""

import numpy as np
import pytest

from specsim.roofline.calibration import fitting, rounds
from specsim.roofline.calibration.probes import Point, product
from tests.roofline.calibration import machines
from tests.roofline.calibration.machines import Machine

PRODUCTS = [work for work in machines.works(["bf16"]) if work.kind == "product"]


@pytest.mark.parametrize(
    "machine",
    [
        Machine(),
        Machine(fixed=0.0, rate=3e9, speed=20e9),
        Machine(fixed=60e-6, rate=10e9, speed=200e9),
    ],
)
def test_constants_come_back_exactly_without_noise(machine: Machine) -> None:
    made = fitting.form(machines.exact(machine, PRODUCTS))
    assert made.fixed == pytest.approx(machine.fixed, rel=0.01, abs=1e-9)
    assert made.rate == pytest.approx(machine.rate, rel=0.02)
    assert made.speed == pytest.approx(machine.speed, rel=0.01)
    assert dict(made.factors)[1] == pytest.approx(1, rel=0.02)
    assert dict(made.factors)[1024] == pytest.approx(1, rel=1e-6)
    points = machines.exact(machine, PRODUCTS)
    assert fitting.ratios(points, made) == pytest.approx([1] * len(points), rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_constants_come_back_through_noise(seed: int) -> None:
    machine = Machine()
    taken = machines.samples(machine, PRODUCTS, rounds=15, noise=0.1, seed=seed)
    points = rounds.points(machines.probes(*PRODUCTS), taken)
    made = fitting.form(points)
    usual = 1 + 0.1 * 0.674  # median of the size of a normal number
    assert made.rate == pytest.approx(machine.rate / usual, rel=0.03)
    assert made.speed == pytest.approx(machine.speed / usual, rel=0.06)
    assert made.fixed == pytest.approx(machine.fixed, abs=4e-6)
    spread = fitting.spread(fitting.ratios(points, made))
    assert 0.96 < spread.low <= 1 <= spread.high < 1.04


def test_a_library_that_is_slow_for_some_tokens_shows_in_the_factors() -> None:
    machine = Machine(off=lambda tokens: 3.0 if 2 <= tokens <= 16 else 1.0)
    points = machines.exact(machine, PRODUCTS)
    made = fitting.form(points)
    expected = {n: 3.0 if 2 <= n <= 16 else 1.0 for n, _ in made.factors}
    assert dict(made.factors) == pytest.approx(expected, rel=0.02)
    assert fitting.ratios(points, made) == pytest.approx([1] * len(points), rel=0.01)


def test_the_fixed_time_is_never_negative() -> None:
    small, large = product("bf16", 2, 1, 1000, 1000), product("bf16", 2, 1, 1000, 9000)
    quick = [Point(small, 1e-4, 0, 0), Point(large, 1e-3, 0, 0)]
    fixed, rate = fitting.line(quick)
    assert fixed == 0
    assert 18e9 < rate < 20.1e9


def test_bytes_that_cost_nothing_leave_a_rate_that_is_finite() -> None:
    small, large = product("bf16", 2, 1, 1000, 1000), product("bf16", 2, 1, 1000, 9000)
    fixed, rate = fitting.line([Point(small, 2e-4, 0, 0), Point(large, 1e-4, 0, 0)])
    assert fixed == 0
    assert rate == pytest.approx(large.bytes / 1e-4)


def test_products_that_are_all_fixed_time_have_no_factors() -> None:
    made = fitting.form(machines.exact(Machine(fixed=10.0), PRODUCTS))
    assert made.factors == ((1.0, 1.0),)
    assert np.isfinite([made.fixed, made.rate, made.speed]).all()


def test_a_spread_leaves_out_a_tenth_on_either_side() -> None:
    made = fitting.spread([0.5, *[0.8] * 2, *[1.0] * 14, *[1.3] * 2, 9.0])
    assert (made.low, made.high) == pytest.approx((0.8, 1.3))


def test_a_spread_contains_one() -> None:
    assert fitting.spread([1.2, 1.3, 1.4]).low == 1
    assert fitting.spread([0.7, 0.8]).high == 1
