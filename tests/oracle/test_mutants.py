"""Planted bugs: none is alive, none is stale, none is twice there."""

import pytest

from specsim.oracle import kills
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import CoinFault, Mutant, rewritten
from specsim.rules import Rule


@pytest.mark.distribution
@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_killed(name: str) -> None:
    killed = kills.kill(MUTANTS[name])
    assert killed.tier, killed.by
    assert (killed.tier == "law") == (not isinstance(MUTANTS[name], CoinFault))


def test_every_rule_has_a_mutant(rule: Rule) -> None:
    assert any(mutant.rule == rule.name for mutant in MUTANTS.values())


def test_a_line_that_is_gone_is_noticed() -> None:
    with pytest.raises(ValueError, match="stands 0 times"):
        rewritten("verify.chain", "no such line", "")
    with pytest.raises(ValueError, match="times in"):
        rewritten("verify.chain", "p", "")


def test_no_two_mutants_are_the_same_change() -> None:
    planted = [m for m in MUTANTS.values() if isinstance(m, Mutant)]
    assert len({(m.rule, m.old, m.new) for m in planted}) == len(planted)
    for mutant in planted:
        assert mutant.old != mutant.new
        assert mutant.verify is not mutant.row.verify
