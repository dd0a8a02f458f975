"""The least total variation of a refuted engine, and whose law is the right one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from specsim.oracle import cases, declared, diagnosis, effect, exact, judge, sampling
from specsim.oracle.effect import CONFIDENCE, interval
from specsim.oracle.engines.contract import Call
from specsim.oracle.evidence import Evidence
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.reading import Read
from specsim.oracle.report import grade
from specsim.oracle.sampling import POINTS, Sampled
from specsim.oracle.witnesses import computed
from specsim.oracle.worlds import World, chains
from specsim.rules import RULES, named
from tests.oracle import engines

HERE = "tests.oracle.engines"


@pytest.mark.parametrize(("count", "trials"), [(0, 9), (9, 9), (3, 10), (367, 500)])
def test_intervals_are_those_of_scipy(count: int, trials: int) -> None:
    wanted = stats.binomtest(count, trials).proportion_ci(0.99, method="exact")
    assert interval(count, trials, 0.99) == pytest.approx((wanted.low, wanted.high))


def test_intervals_cover() -> None:
    rng, p, n, times = np.random.default_rng(3), 0.3, 60, 4000
    lows = [
        interval(int(k), n, 2 * CONFIDENCE - 1)[0] for k in rng.binomial(n, p, times)
    ]
    missed = sum(low > p for low in lows)
    assert stats.binomtest(missed, times, 1 - CONFIDENCE, "greater").pvalue > 1e-9


class Seeded:
    """A host of one function, which draws in this process."""

    spec = "here:function"

    def __init__(self, function: Callable[..., list[int]]):
        self.function = function

    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[tuple[int, ...]]:
        rng = np.random.default_rng(seed)
        asked = (calls[i].arguments() for i in which)
        return [tuple(self.function(*given, rng=rng)) for given in asked]


def sampled(host: Any, blocks: int) -> Sampled:
    """Evidence from the world `turning`, with no mutant to bet on."""
    evidence = Evidence([world().truth], {})
    for _, drawn in sampling.rounds(host, [world()], "verify", "rng", 5):
        evidence.observe(0, drawn)
        if evidence.blocks >= blocks:
            break
    return Sampled(evidence, [world()], [], evidence.blocks, [], [], [])


@pytest.mark.distribution
def test_the_effect_is_under_the_truth_and_near_it() -> None:
    host: Any = Seeded(engines.residual_is_target)
    found = sampled(host, 1000)
    made = effect.measured(host, found, "verify", "rng", seed=0)
    assert made
    planted = MUTANTS["residual-is-target"]
    assert isinstance(planted, Mutant)
    law = exact.conditionals(exact.emitted(planted.verify, world()))
    row, right = law[made.prefix], world().truth(made.prefix)
    tv = float(sum(abs(row.get(x, 0) - w) for x, w in enumerate(right)) / 2)
    assert tv / 2 < made.low < tv
    assert made.trials <= 1000
    assert f"of {made.trials} fresh draws" in str(made)


@pytest.mark.distribution
def test_a_right_engine_has_no_effect_though_events_are_chosen_on_its_draws() -> None:
    host: Any = Seeded(engines.chain)
    found = sampled(host, 500)
    made = [effect.measured(host, found, "verify", "rng", seed) for seed in range(40)]
    wrong = sum(each is not None for each in made)
    assert stats.binomtest(wrong, 40, 1 - CONFIDENCE, "greater").pvalue > 1e-9


def test_the_report_of_a_sampled_engine_has_a_path() -> None:
    report = judge.check(f"{HERE}:own_luck", budget="smoke")
    (tier,) = [tier for tier in report.tiers if tier.path]
    assert tier.name == "verify/rng/drawn"
    assert tier.log10_e is not None
    assert tier.path[-1][1] <= tier.log10_e + 1e-3
    assert tier.grade == grade(tier.log10_e)


def test_a_long_path_is_thinned_and_keeps_its_end() -> None:
    path = [(n, n / 100) for n in range(1, 10_001)]
    found = Sampled(None, [], [], 0, [], [], path)  # type: ignore[arg-type]
    thin = found.thinned(99.5)
    assert len(thin) <= POINTS
    assert thin[-1] == (10_000, 99.5)
    assert list(thin) == sorted(thin)


def world() -> World:
    return next(w for w in chains() if (w.name, len(w.branching)) == ("turning", 2))


def test_a_computed_witness_has_the_whole_row_and_the_distance() -> None:
    rule = named("lenience")
    law = exact.emitted(rule.verify, world())
    read = Read(world(), law, exact.gaps(law, world().truth))
    made = computed(read)
    assert sum(made.found) == pytest.approx(1)
    assert made.wanted[made.token] != made.found[made.token]
    assert made.tv == str(exact.bias(rule.verify, world()))


@pytest.mark.parametrize("name", ["lenience", "cascade", "deferral", "relaxed"])
def test_a_declared_law_is_the_rules_own(name: str) -> None:
    rule = named(name)
    (own,) = declared.held([world()], rule)
    law = exact.emitted(rule.verify, own)
    assert not exact.gaps(law, own.truth)
    assert exact.gaps(law, world().truth)
    assert name in declared.law(rule)
    assert declared.held([world()], None) == [world()]


@pytest.mark.distribution
@pytest.mark.parametrize("name", [rule.name for rule in RULES.values() if rule.lossy])
def test_planted_bugs_of_a_declared_rule_are_its_own_and_depart_from_it(
    name: str,
) -> None:
    rule = named(name)
    worlds = cases.trees(kinds=rule.accepts) if rule.tree else cases.chains()
    held = declared.held(worlds, rule)
    planted = diagnosis.candidates(held[0], rule.tree)
    assert planted
    assert {mutant.rule for mutant in planted} == {name}
    for mutant in planted:
        laws = ((diagnosis.law(mutant, world), world) for world in held)
        assert any(law and exact.gaps(law, world.truth) for law, world in laws)


@pytest.mark.distribution
def test_a_strict_engine_is_not_the_lenient_one_it_says_it_is() -> None:
    report = judge.check(f"{HERE}:coins", rule="lenience")
    assert report.verdict == "rejected"
    assert report.witness
    assert "lenience" in report.text()
