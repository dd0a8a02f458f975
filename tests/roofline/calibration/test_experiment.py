"""What 8 tokens cost, when one costs this."""

import pytest

from specsim.roofline.calibration.experiment import Experiment, experiments
from specsim.roofline.calibration.probes import Point, product
from tests.roofline.calibration import machines
from tests.roofline.calibration.machines import Machine


def experiment(**seconds: float) -> Experiment:
    points = (
        Point(product("bf16", 2, int(name[1:]), 64, 64), taken, taken, taken)
        for name, taken in seconds.items()
    )
    return Experiment("bf16", tuple(points))


def test_costs_are_in_units_of_one_token() -> None:
    made = experiment(_1=2.0, _2=2.2, _8=4.0)
    assert made.cost(1) == 1
    assert made.cost(8) == 2
    assert made.cost(4) == pytest.approx(1.55)  # half way between 2 and 8 in logarithms


@pytest.mark.parametrize(
    ("times", "most"), [(1.0, 1), (1.1, 2), (1.56, 4), (2, 8), (9, 8)]
)
def test_affordable_is_the_most_before_the_first_that_costs_more(
    times: float, most: int
) -> None:
    assert experiment(_1=2.0, _2=2.2, _8=4.0).affordable(times) == most


def test_a_dear_number_of_tokens_ends_it_whatever_comes_after() -> None:
    assert experiment(_1=1.0, _2=3.0, _4=1.0, _8=1.0).affordable(1.5) == 1


def test_the_largest_matrix_of_each_format_is_taken() -> None:
    points = machines.exact(Machine(), machines.works())
    made = {each.format: each for each in experiments(points)}
    assert list(made) == ["bf16", "fp32"]
    assert {p.work.weights for p in made["fp32"].points} == {4.0 * 2048 * 8192}
    assert made["fp32"].tokens == [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64]
