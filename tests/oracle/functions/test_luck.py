"""Code that draws from torch, random and NumPy, read exactly."""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest

from specsim.oracle.readings import scripted, standin, symbolic
from specsim.oracle.readings.cells import Unfollowable
from tests.gpu.cases import torch

pytestmark = [pytest.mark.torch, pytest.mark.distribution]
luck = pytest.importorskip("specsim.oracle.engines.luck")
P = torch.tensor([0.5, 0.125, 0.375])


def law(draw: Callable[[], Any]) -> dict[Any, Fraction]:
    """What comes of a function that draws, and with which odds."""

    def run(path: symbolic.Path) -> Any:
        with luck.given(standin.StandIn(path)):
            return draw()

    return symbolic.law(run)


HALF = {True: Fraction(1, 2), False: Fraction(1, 2)}
WHOLE = {0: Fraction(1, 2), 1: Fraction(1, 8), 2: Fraction(3, 8)}


@pytest.mark.parametrize(
    "draw",
    [
        lambda: bool(torch.rand(1) < 0.5),
        lambda: bool(torch.rand(()) <= torch.tensor(0.5)),
        lambda: bool(torch.tensor([0.5]) > torch.rand(1)),
        lambda: bool(torch.rand(size=(1,)).item() < 0.5),
        lambda: bool(torch.rand((1, 2))[0, 1] * 4 - 1 < torch.tensor(1.0)),
        lambda: bool(1 - torch.rand(1, 1).view(-1).squeeze() > 0.5),
        lambda: bool(torch.rand_like(P)[1] / torch.tensor(0.5) < 1),
        lambda: bool(torch.rand(1).to("cpu").log() < torch.tensor(0.5).log()),
        lambda: bool(torch.log(torch.rand(1)) < np.log(0.5)),
        lambda: bool(torch.zeros(1).uniform_() < 0.5),
        lambda: bool(torch.zeros(1).uniform_(-1, 1) < 0),
        lambda: bool(random.random() < torch.tensor(0.5)),
        lambda: bool(torch.tensor(0.5) > random.random()),
        lambda: bool(np.random.rand() < 0.5),  # noqa: NPY002
        lambda: bool(np.random.uniform() < 0.5),  # noqa: NPY002
        lambda: bool(torch.multinomial(torch.ones(2), 1)),
    ],
    ids=count(),
)
def test_a_coin_is_a_coin_however_it_is_tossed(draw: Callable[[], bool]) -> None:
    found = law(draw)
    assert found.keys() == HALF.keys()
    assert all(abs(found[side] - HALF[side]) < 2**-20 for side in HALF)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: int(torch.multinomial(P, 1)),
        lambda: int(P.multinomial(num_samples=1)),
        lambda: int(torch.multinomial(P[None].expand(2, 3), 1)[1, 0]),
        lambda: int(torch.argmax(P / torch.empty_like(P).exponential_(1))),
        lambda: int(np.random.choice(3, p=P.double().numpy())),  # noqa: NPY002
    ],
    ids=count(),
)
def test_a_token_is_drawn_by_its_weight(draw: Callable[[], int]) -> None:
    found = law(draw)
    assert found.keys() == WHOLE.keys()
    assert all(abs(found[token] - WHOLE[token]) < 2**-20 for token in WHOLE)


def test_draws_without_replacement_leave_out_what_was_drawn() -> None:
    found = law(lambda: tuple(torch.multinomial(P, 2).tolist()))
    assert found[0, 1] == Fraction(1, 2) * Fraction(1, 4)
    assert abs(found[1, 2] - Fraction(1, 8) * Fraction(3, 7)) < 2**-50
    assert len(found) == 6


def test_what_torch_refuses_is_refused() -> None:
    with pytest.raises(RuntimeError, match="invalid multinomial distribution"):
        law(lambda: torch.multinomial(torch.zeros(2), 1))


def filled_in_place() -> int:
    times = torch.empty(3)
    times.exponential_()
    return int((P / times).argmax())


@pytest.mark.parametrize(
    "draw",
    [
        lambda: torch.cumsum(torch.rand(3), 0),
        lambda: torch.rand(3).sort(),
        lambda: float(torch.rand(1)),
        filled_in_place,
    ],
    ids=count(),
)
def test_what_cannot_be_followed_is_told(draw: Callable[[], Any]) -> None:
    with pytest.raises(Unfollowable):
        law(draw)


def test_what_cannot_be_followed_is_read_from_outside() -> None:
    def run(rng: Any) -> bool:
        with luck.given(rng):
            return float(torch.rand(1)) < 0.25

    assert abs(scripted.law(run).law[True] - Fraction(1, 4)) < 2**-20


def test_drawn_uniforms_are_those_of_torch() -> None:
    class Last:
        def random(self, size: Any) -> Any:
            return np.full(size, 1 - 2.0**-53)

        uniform = choice = random

    with luck.given(Last()):
        assert torch.rand(2).max() < 1
        assert torch.rand(1, dtype=torch.float64).item() == 1 - 2.0**-53
        times = torch.empty(2)
        assert times.exponential_() is times
        assert times.isfinite().all()


def test_the_draft_that_is_asked_is_drawn_first() -> None:
    with luck.given(np.random.default_rng(0), [2, 1]):
        assert torch.multinomial(P, 1).item() == 2
        assert torch.argmax(P / torch.empty_like(P).exponential_()).item() == 1
        drawn = {torch.multinomial(P, 1).item() for _ in range(50)}
    assert drawn == {0, 1, 2}


def test_everything_is_as_it_was_afterwards() -> None:
    before = torch.rand, torch.multinomial, torch.Tensor.exponential_, random.random
    with luck.given(np.random.default_rng(0)):
        assert torch.rand is not before[0]
    after = torch.rand, torch.multinomial, torch.Tensor.exponential_, random.random
    assert before == after
