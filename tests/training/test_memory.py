"""A target that reads once: what it remembers, how exactly, and how much."""

from typing import Any

import pytest

from specsim import pretrained
from tests.gpu.cases import torch
from tests.training.tiny import target

pytestmark = pytest.mark.torch
TOKENS = torch.arange(36).view(3, 12)


def memory(**most: int) -> Any:
    from specsim.training.memory import Memory

    return Memory(**most)


class Reader:
    """A target, and how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __call__(self, tokens: Any) -> Any:
        self.asked.append(tokens)
        return torch.sin(tokens.float())[..., None].expand(-1, -1, 4) / 3


def test_a_window_is_read_once_and_rounded_from_the_first_time() -> None:
    held, reader = memory(), Reader()
    first = held.hidden(reader, TOKENS)
    assert [*map(len, reader.asked)] == [1, 1, 1]
    again = held.hidden(reader, TOKENS.flip(0)).flip(0)
    assert len(reader.asked) == 3
    assert torch.equal(first, again)
    exact = reader(TOKENS)
    assert first.dtype == torch.float32
    assert torch.equal(first, exact.half().float())
    assert 0 < (first - exact).abs().max() <= 2**-11 * exact.abs().max()


def test_what_is_too_much_is_read_again() -> None:
    held, reader = memory(most=2 * 12 * 4 * 2), Reader()
    first = held.hidden(reader, TOKENS)
    again = held.hidden(reader, TOKENS)
    assert [each[0, 0] for each in reader.asked] == [0, 12, 24, 24]
    assert torch.equal(first, again)


def test_what_was_read_elsewhere_is_taken_for_read() -> None:
    held, reader = memory(), Reader()
    held.hold(TOKENS[0], torch.ones(12, 4))
    found = held.hidden(reader, TOKENS[:1])
    assert not reader.asked
    assert torch.equal(found, torch.ones(1, 12, 4))


def test_a_base_reads_the_same_with_a_memory(tmp_path: Any) -> None:
    from specsim.training.base import Base

    whom = pretrained.load(target(tmp_path))
    plain, remembering = Base(whom, "cpu"), Base(whom, "cpu", memory())
    for foretold in (0, 1):
        found = remembering.hidden(TOKENS, foretold)
        expected = plain.hidden(TOKENS, foretold)
        assert found.shape == expected.shape == (3, 12 - foretold, 24)
        torch.testing.assert_close(found, expected, rtol=2**-10, atol=1e-4)
