"""How long exact laws take: `pytest tests/bench_law.py`."""

from fractions import Fraction

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reference.model import table
from specsim.oracle import exact
from specsim.oracle.worlds import World
from specsim.rules import named


@pytest.mark.parametrize(
    ("name", "vocab", "branching"),
    [("chain", 4, (1, 1, 1)), ("chain", 3, (1, 1, 1, 1)), ("recursive", 3, (2, 2))],
    ids=["chain-V4-K3", "chain-V3-K4", "tree-V3-2x2"],
)
def test_law(
    name: str, vocab: int, branching: tuple[int, ...], benchmark: BenchmarkFixture
) -> None:
    """The law of what is emitted against the target's, rows drawn already."""
    target, drafter = table.table(1, vocab), table.table(2, vocab)
    world = World("bench", vocab, target, drafter, branching)
    assert benchmark(exact.bias, named(name).verify, world) == Fraction(0)
