"""The Python interface: each name is what the command of that name prints."""

from fractions import Fraction

import pytest

import specsim
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World, chains


def test_every_public_name_loads() -> None:
    for name in specsim.__all__:
        assert callable(getattr(specsim, name)) or isinstance(specsim.RULES, dict)
    assert set(specsim.__all__) <= set(dir(specsim))
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        specsim.nope  # noqa: B018


def test_roofline_and_speedup_answer_as_their_commands_do() -> None:
    assert specsim.roofline("70b", "a100").min_gpus == 2
    assert round(specsim.speedup(0.7, k=5, draft_cost=0.1).speedup, 2) == 1.96


def world() -> World:
    return next(world for world in chains() if world.name == "two-tokens")


def test_the_law_of_a_rule_in_a_world() -> None:
    law = specsim.law(specsim.RULES["chain"].verify, world())
    assert sum(law.values()) == 1
    assert (0,) not in law
    assert law[(1,)] == Fraction(1, 3)


def test_a_rule_with_a_bug_is_told_where() -> None:
    specsim.assert_lossless(specsim.RULES["chain"].verify, world())
    planted = MUTANTS["accept-all"]
    assert isinstance(planted, Mutant)
    with pytest.raises(AssertionError, match="at the start token 0 has odds 2/3"):
        specsim.assert_lossless(planted.verify, world())
