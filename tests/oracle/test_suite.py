"""specsim judges itself, and would say so if it were wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from specsim.oracle import suite
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.rules import RULES


@pytest.mark.distribution
def test_a_rule_is_judged_with_the_numbers_of_its_worlds() -> None:
    judged = suite.judge(RULES["chain"])
    assert judged.worlds > 40
    assert judged.worst_tv == 0
    assert judged.right


def test_a_biased_rule_or_twin_or_a_living_mutant_is_a_rejection() -> None:
    mutant = MUTANTS["accept-all"]
    right = suite.Judged(RULES["chain"], 3, Fraction(), [])
    dead = suite.Killed(mutant, "law", "TV 1/3")
    assert suite.Suite([right], [dead], 1.0).verdict == "exact"
    biased = replace(right, worst_tv=Fraction(1, 10**9))
    assert suite.Suite([biased], [dead], 1.0).verdict == "rejected"
    wrong_twin = replace(right, twin=["vector abc"])
    assert suite.Suite([wrong_twin], [dead], 1.0).verdict == "rejected"
    alive = replace(dead, tier=None)
    told = suite.Suite([right], [alive], 1.0)
    assert told.verdict == "rejected"
    assert "ALIVE accept-all" in told.text()


def test_a_rule_taken_for_its_mutant_lives() -> None:
    chain = RULES["chain"]
    harmless = Mutant("harmless", "chain", "min(1, p", "min(1, 1 * p", "none")
    assert suite.kill(harmless).tier is None
    assert suite.judge(chain).right


def test_json_has_the_keys_that_were_promised() -> None:
    dead = suite.Killed(MUTANTS["accept-all"], "law", "TV 1/3")
    judged = suite.Judged(RULES["chain"], 3, Fraction(), None)
    made = suite.Suite([judged], [dead], 1.25).as_dict()
    assert made["verdict"] == "exact"
    assert made["rules"][0]["class"] == "marginal"
    assert made["rules"][0]["worst_tv"] == "0"
    assert made["mutants"][0]["killed"] is True
    assert made["mutants"][0]["tier"] == "law"
    assert made["seconds"] == 1.25
