"""Coins from a counter: those of reference/randomness.keyed, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim import seam
from specsim.seam import randomness
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
philox = seam.gpu("philox")
word = st.integers(0, 2**63 - 1)


@given(word, word, word)
def test_coins_are_those_of_the_reference(seed: int, request: int, step: int) -> None:
    """The reference says where a coin lies: it is below one number, not the next."""

    def made(purpose: str) -> list[float]:
        found = philox.coins(seed, torch.tensor([request]), step, purpose, 3)
        coins: list[float] = found[0].tolist()
        return coins

    def asked() -> randomness.Source:
        return randomness.keyed(seed, request, step)

    for i, coin in enumerate(made("accept")):
        assert not asked().accept(i, coin)
        assert asked().accept(i, coin + 2.0**-53)
    for i, coin in enumerate(made("sample")):
        assert asked().sample(i, np.array([coin, 1 - coin])) == 1
        assert asked().sample(i, np.array([coin + 2.0**-53, 1 - coin])) == 0


def test_a_coin_does_not_depend_on_its_neighbours() -> None:
    requests = torch.tensor([5, 0, 9])
    every = philox.coins(3, requests, torch.tensor([1, 2, 3]), "sample", 6)
    alone = philox.coins(3, requests[2:], 3, "sample", 2)
    assert torch.equal(every[2:, :2], alone)
    assert len(set(every.flatten().tolist())) == 18
