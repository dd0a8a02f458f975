"""Worked numbers for drafts that are not what they are declared to be."""

from fractions import Fraction

import pytest

from reference.model.table import constant
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Wiring
from specsim.oracle.worlds import World
from specsim.rules import RULES

F = Fraction
THREE = [3, 2, 1], [1, 1, 2]


@pytest.mark.parametrize(
    ("name", "weights", "shape", "first"),
    [
        ("argmax-draft", ([1, 2, 1], [2, 1, 1]), (1,), [F(1, 2), F(1, 2), 0]),
        ("unlikely-dropped", ([1, 1], [3, 1]), (1,), [F(5, 8), F(3, 8)]),
        ("top-siblings", THREE, (2,), [F(2, 3), 0, F(1, 3)]),
        ("sorted-siblings", THREE, (2,), [F(7, 12), F(5, 36), F(5, 18)]),
    ],
)
def test_what_the_first_token_becomes(
    name: str,
    weights: tuple[list[int], list[int]],
    shape: tuple[int, ...],
    first: list[Fraction],
) -> None:
    wiring = MUTANTS[name]
    assert isinstance(wiring, Wiring)
    target, drafter = map(constant, weights)
    world = wiring.wire(World("worked", len(first), target, drafter, shape))
    emitted = exact.emitted(RULES[wiring.rule].verify, world)
    law = exact.completed(emitted, target, 1)
    assert [law.get((x,), 0) for x in range(len(first))] == first


@pytest.mark.distribution
@pytest.mark.parametrize(
    "name", [name for name, m in MUTANTS.items() if isinstance(m, Wiring)]
)
def test_a_rule_that_is_exact_for_each_draft_survives_every_wiring(name: str) -> None:
    """Whatever is declared and whichever tokens are left out: it looks at neither."""
    wiring = MUTANTS[name]
    assert isinstance(wiring, Wiring)
    shape = (2, 1) if RULES[wiring.rule].tree else (1, 1)
    world = World("narrow", 3, constant(*THREE), constant(*THREE[::-1]), shape)
    for rule in ("target_only", "one_hot")[: 1 + (shape == (1, 1))]:
        assert not exact.bias(RULES[rule].verify, wiring.wire(world), "conditional")
