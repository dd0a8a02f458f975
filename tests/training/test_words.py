"""A draft's own words: the commonest, and how they are numbered."""

from typing import Any

import numpy as np
import pytest

from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
TEXT = torch.tensor([5, 5, 5, 2, 2, 9, 9, 7, 1])


def words(most: int) -> Any:
    from specsim.training.words import Words

    return Words(TEXT, 12, most, "cpu")


def test_the_commonest_are_taken_and_of_equals_the_first() -> None:
    few = words(3)
    assert len(few) == 3
    assert few.labels(torch.tensor([2, 5, 9, 7, 0])).tolist() == [0, 1, 2, -100, -100]
    assert few.rows(torch.arange(12)).tolist() == [2, 5, 9]
    assert words(4).rows(torch.arange(12)).tolist() == [1, 2, 5, 9]
    (offsets,) = few.settled.values()
    assert (offsets + np.arange(3)).tolist() == [2, 5, 9]


def test_words_that_never_occur_are_not_drafted() -> None:
    assert words(99).rows(torch.arange(12)).tolist() == [1, 2, 5, 7, 9]


def test_all_words_keep_their_numbers() -> None:
    every, head = words(0), torch.zeros(12, 2)
    assert len(every) == 12
    assert every.rows(head) is head
    assert every.labels(TEXT) is TEXT
    assert every.settled == {}
