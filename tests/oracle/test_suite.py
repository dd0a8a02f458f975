"""specsim judges itself, and would say so if it were wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest

from specsim.oracle import certificate, kills, suite
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import chains
from specsim.rules import RULES, Rule


@pytest.mark.distribution
def test_a_rule_is_judged_with_the_numbers_of_its_worlds() -> None:
    judged = suite.judge(RULES["chain"])
    assert judged.worlds > 40
    assert judged.worst_tv == 0
    assert judged.right


def test_a_biased_rule_or_twin_or_a_living_mutant_is_a_rejection() -> None:
    mutant = MUTANTS["accept-all"]
    right = suite.Judged(RULES["chain"], 3, Fraction(), [])
    dead = kills.Killed(mutant, "law", "TV 1/3")
    assert suite.Suite([right], [dead], 1.0).verdict == "exact"
    biased = replace(right, worst_tv=Fraction(1, 10**9))
    assert suite.Suite([biased], [dead], 1.0).verdict == "rejected"
    wrong_twin = replace(right, twin=["vector abc"])
    assert suite.Suite([wrong_twin], [dead], 1.0).verdict == "rejected"
    alive = replace(dead, tier=None)
    told = suite.Suite([right], [alive], 1.0)
    assert told.verdict == "rejected"
    assert "ALIVE accept-all" in told.text()


def test_a_lossy_rule_has_its_recorded_bias_and_is_never_exact() -> None:
    rule = RULES["lenience"]
    worst = certificate.worst(certificate.certify(rule.verify, w) for w in chains())
    as_recorded = suite.Judged(rule, 45, Fraction(rule.bias), [], worst)
    told = suite.Suite([as_recorded], [], 1.0)
    assert told.verdict == "lossy"
    assert told.as_dict()["rules"][0]["worst_tv"] == rule.bias
    assert told.as_dict()["rules"][0]["class"] == "lossy"
    assert f"LOSSY lenience: {worst}" in told.text()
    for tv in (Fraction(), Fraction(rule.bias) / 2, Fraction(1)):
        other = suite.Suite([replace(as_recorded, worst_tv=tv)], [], 1.0)
        assert other.verdict == "rejected"
        assert f"BIAS lenience: TV {tv}, should be" in other.text()


@pytest.mark.distribution
def test_a_lossless_rule_called_lossy_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(suite, "find_spec", lambda name: None)
    called = replace(RULES["chain"], losslessness="lossy", bias="0")
    assert not suite.judge(called).right
    assert suite.judge(RULES["thresholds"]).right


def test_a_rule_taken_for_its_mutant_lives() -> None:
    chain = RULES["chain"]
    harmless = Mutant("harmless", "chain", "min(1, p", "min(1, 1 * p", "none")
    assert kills.kill(harmless).tier is None
    assert suite.judge(chain).right


def test_json_has_the_keys_that_were_promised() -> None:
    dead = kills.Killed(MUTANTS["accept-all"], "law", "TV 1/3")
    judged = suite.Judged(RULES["chain"], 3, Fraction(), None)
    made = suite.Suite([judged], [dead], 1.25).as_dict()
    assert made["verdict"] == "exact"
    assert made["rules"][0]["class"] == "marginal"
    assert made["rules"][0]["worst_tv"] == "0"
    assert made["mutants"][0]["killed"] is True
    assert made["mutants"][0]["tier"] == "law"
    assert made["seconds"] == 1.25


@pytest.mark.distribution
def test_a_rule_that_asks_the_impossible_is_a_fault_and_not_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = Mutant("broken", "chain", "min(1, p[i, x] / q[i, x])", "p[i, x] / 0", "x")
    monkeypatch.setattr(Rule, "verify", property(lambda rule: broken.verify))
    judged = suite.judge(RULES["chain"])
    assert "ZeroDivisionError" in judged.fault
    assert not judged.right
    assert "FAULT chain" in suite.Suite([judged], [], 1.0).text()


@pytest.mark.distribution
def test_a_rule_that_stays_exact_but_leaves_its_vectors_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = RULES["one_hot"].verify
    monkeypatch.setattr(Rule, "verify", property(lambda rule: other))
    judged = suite.judge(RULES["chain"])
    assert judged.worst_tv == 0
    assert "vector" in judged.fault


def test_a_mutant_whose_line_is_gone_is_alive_and_says_so() -> None:
    gone = kills.kill(Mutant("gone", "chain", "no such line", "", "none"))
    assert gone.tier is None
    assert "stands 0 times" in gone.by
