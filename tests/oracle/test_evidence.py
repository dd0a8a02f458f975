import math
from copy import deepcopy
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from reference.model.table import row
from reference.probs import Probs, residual
from reference.proposal import Proposal
from reference.randomness import Source
from reference.verify import block, chain, one_hot, sampler_match
from specsim.errors import Bad
from specsim.oracle import exact
from specsim.oracle.evidence import (
    NONE,
    Evidence,
    log_bet,
    log_dirichlet,
    stakes,
)
from specsim.oracle.exact import Law, conditionals
from specsim.oracle.worlds import World, pairs, worlds
from specsim.rules import Rule, Verify

# ------------------------------------------------- engines, right ones and wrong ones


def no_bonus(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Right: whoever keeps everything simply stops there."""
    return chain.verify(p, proposal, source)[: len(proposal.tokens)]


def last_redrawn(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Right: the last drafted token is never kept but drawn again, from p."""
    *tokens, _ = proposal.tokens
    for i, x in enumerate(tokens):
        if not source.accept(i, min(1, p[i, x] / proposal.drawn_from[i, x])):
            return [
                *tokens[:i],
                source.sample(i, residual(p[i], proposal.drawn_from[i])),
            ]
    return [*tokens, source.sample(len(tokens), p[len(tokens)])]


def wrong_chain(
    accept: Any = lambda p, q, x: min(1, p[x] / q[x]),
    correct: Any = lambda p, q, x: residual(p, q),
    bonus: Any = lambda p: p[-1],
    last: bool = True,
) -> Verify:
    """Speculative sampling with one of its parts exchanged."""

    def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
        tokens, q = proposal.tokens, proposal.drawn_from
        for i, x in enumerate(tokens):
            keep = source.accept(i, accept(p[i], q[i], x))
            if not keep or (i + 1 == len(tokens) and not last):
                left = correct(p[i], q[i], x)
                left = left if left.any() else p[i]
                return [*tokens[:i], source.sample(i, left)]
        return [*tokens, source.sample(len(tokens), bonus(p))]

    return verify


def one_coin(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Wrong: one uniform judges every drafted token, so the lowest ratio counts."""
    tokens, q = proposal.tokens, proposal.drawn_from
    lowest = Fraction(1)
    for i, x in enumerate(tokens):
        ratio = min(lowest, p[i, x] / q[i, x])
        if not source.accept(i, ratio / lowest if lowest else lowest):
            return [*tokens[:i], source.sample(i, residual(p[i], q[i]))]
        lowest = ratio
    return [*tokens, source.sample(len(tokens), p[-1])]


RIGHT: dict[str, Verify] = {
    "chain": chain.verify,
    "block": block.verify,
    "sampler match": sampler_match.verify,
    "one-hot": one_hot.verify,
    "no bonus": no_bonus,
    "last redrawn": last_redrawn,
}
WRONG: dict[str, Verify] = {
    "residual is p": wrong_chain(correct=lambda p, q, x: p),
    "residual is p without the draft": wrong_chain(
        correct=lambda p, q, x: np.where(np.arange(len(p)) == x, 0, p)
    ),
    "residual unclipped": wrong_chain(correct=lambda p, q, x: abs(p - q)),
    "residual reversed": wrong_chain(correct=lambda p, q, x: residual(q, p)),
    "bonus from the row before": wrong_chain(bonus=lambda p: p[-2]),
    "kept iff p is at least q": wrong_chain(
        accept=lambda p, q, x: Fraction(int(p[x] >= q[x]))
    ),
    "last never kept": wrong_chain(last=False),
    "all kept": wrong_chain(accept=lambda p, q, x: Fraction(1)),
    "one coin": one_coin,
}


def world(name: str) -> World:
    return World(name, *pairs()[name], (1, 1), "iid")


CASES = [world(name) for name in ("turning", "table-0", "table-2", "wide-table")]
TARGETS = [case.target for case in CASES]
FULL = [world("turning"), world("three-tokens")]  # no zeros: every bet is fair exactly


def laws(verify: Verify, cases: list[World] = CASES) -> list[Law]:
    return [exact.emitted(verify, case) for case in cases]


ALTERNATIVES = {name: laws(verify) for name, verify in WRONG.items()}


class Engine:
    """Emits blocks from a known law, at random."""

    def __init__(self, verify: Verify, cases: list[World] = CASES):
        self.made = [
            (list(law), np.array([float(w) for w in law.values()]))
            for law in laws(verify, cases)
        ]

    def emit(
        self, case: int, n: int, rng: np.random.Generator
    ) -> list[tuple[int, ...]]:
        blocks, odds = self.made[case]
        picks = rng.choice(len(blocks), size=n, p=odds / odds.sum())
        return [blocks[i] for i in picks]


def run(engine: Engine, evidence: Evidence, rounds: list[int], seed: int) -> Evidence:
    rng = np.random.default_rng(seed)
    for n in rounds:
        for case in range(len(engine.made)):
            evidence.observe(case, engine.emit(case, n, rng))
    return evidence


# --------------------------------------------------------------- what is exactly true


@pytest.mark.distribution
def test_every_rules_tokens_given_their_prefix_are_the_targets(rule: Rule) -> None:
    for case in worlds(rule) if not rule.lossy else ():
        for prefix, got in conditionals(exact.emitted(rule.verify, case)).items():
            want = case.truth(prefix)
            assert all(want[x] == got.get(x, 0) for x in range(case.vocab)), str(case)


@pytest.mark.distribution
@pytest.mark.parametrize("name", RIGHT)
def test_right_engines_tokens_given_their_prefix_are_the_targets(name: str) -> None:
    for case in CASES:
        for prefix, got in conditionals(exact.emitted(RIGHT[name], case)).items():
            want = case.target(prefix)
            assert all(want[x] == got.get(x, 0) for x in range(case.vocab)), str(case)


def wealth(evidence: Evidence) -> Any:
    """What each mutant's bets have made, and E itself."""
    made = [10**-lost for lost in evidence.excluded().values()]
    return np.array([*made, 10 ** evidence.valued()])


def mean_wealth(law: Law, case: World, blocks: int) -> Any:
    """Over every sequence of `blocks` blocks that an engine of that law can emit."""
    alternatives = {name: laws(verify, [case]) for name, verify in WRONG.items()}
    total = np.zeros(len(WRONG) + 1)
    for sequence in product(law.items(), repeat=blocks):
        evidence = Evidence([case.target], alternatives)
        evidence.observe(0, [emitted for emitted, _ in sequence])
        total += wealth(evidence) * float(math.prod(odds for _, odds in sequence))
    return total


@pytest.mark.distribution
@pytest.mark.parametrize("name", RIGHT)
def test_every_bet_on_a_right_engine_is_fair(name: str) -> None:
    for case, blocks in (world("turning"), 2), (world("three-tokens"), 1):
        mean = mean_wealth(exact.emitted(RIGHT[name], case), case, blocks)
        np.testing.assert_allclose(mean[:-1], 1, rtol=1e-12)
        np.testing.assert_allclose(mean[-1], 1, rtol=1e-7)  # see log_dirichlet


@pytest.mark.distribution
@pytest.mark.parametrize("name", RIGHT)
def test_no_bet_is_better_than_fair_where_the_target_has_zeros(name: str) -> None:
    for case in CASES:
        mean = mean_wealth(exact.emitted(RIGHT[name], case), case, 1)
        assert (mean[:-1] <= 1 + 1e-12).all(), str(case)
        assert mean[-1] <= 1 + 1e-7, str(case)


@pytest.mark.distribution
@pytest.mark.parametrize("name", WRONG)
def test_no_exclusion_of_a_mutant_is_better_than_fair_under_it(name: str) -> None:
    for case in CASES:
        law = exact.emitted(WRONG[name], case)
        mean = 0.0
        for emitted, odds in law.items():
            evidence = Evidence([case.target], {name: [law]})
            evidence.observe(0, [emitted])
            mean += float(odds) * 10 ** evidence.excluded().get(name, -math.inf)
        assert mean <= 1 + 1e-12, str(case)


def test_a_bet_keeps_its_reserve_and_loses_what_it_puts_on_the_impossible() -> None:
    p = np.array([0.5, 0.25, 0.25, 0])
    fair = {0: Fraction(1, 5), 2: Fraction(4, 5)}
    partly = {0: Fraction(1, 5), 3: Fraction(4, 5)}
    assert p @ np.exp(log_bet(fair, p)) == pytest.approx(1, rel=1e-15)
    assert p @ np.exp(log_bet(partly, p)) == pytest.approx(0.999 * 0.2 + 0.001)
    np.testing.assert_allclose(log_bet(fair, p)[1], math.log(1e-3))


def test_unknown_rows_are_learnt_one_token_at_a_time() -> None:
    p = np.array([0.5, 0.3, 0.2, 0])
    k = 10.0
    counts, wanted = np.zeros(4), 0.0
    for token in (0, 1, 1, 2, 1):
        wanted += math.log((k * p[token] + counts[token]) / (k + counts.sum()))
        wanted -= math.log(p[token])
        counts[token] += 1
    assert log_dirichlet(counts[None], p[None])[0, 0] == pytest.approx(wanted)


def test_the_stakes_are_one_unit() -> None:
    for mutants in 0, 1, 40:
        assert len(stakes(mutants)) == mutants + 2
        assert stakes(mutants).sum() == pytest.approx(1)
    np.testing.assert_allclose(stakes(2), 0.25)


# --------------------------------------------------------------- what sampling shows


@pytest.mark.distribution
@pytest.mark.parametrize(
    "name", ["chain", "block", "sampler match", "no bonus", "last redrawn"]
)
def test_a_right_engine_is_flagged_no_more_often_than_ville_allows(name: str) -> None:
    """P(sup E >= 10) <= 1/10 and P(sup E >= 100) <= 1/100, over 2000 pinned runs.

    If the bound were attained, 5 standard errors above it would be .134 and .021.
    """
    engine = Engine(RIGHT[name], FULL)
    alternatives = {wrong: laws(verify, FULL) for wrong, verify in WRONG.items()}
    fresh = Evidence([case.target for case in FULL], alternatives)
    tops = np.array(
        [run(engine, deepcopy(fresh), [8, 40], seed).log10_e for seed in range(2000)]
    )
    for power in 1, 2:
        odds = 10.0**-power
        margin = 5 * math.sqrt(odds * (1 - odds) / len(tops))
        assert np.mean(tops >= power) <= odds + margin


@pytest.mark.distribution
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_engine_excludes_every_mutant(name: str) -> None:
    evidence = run(Engine(RIGHT[name]), Evidence(TARGETS, ALTERNATIVES), [1000], 1)
    assert evidence.log10_e < 3
    excluded = evidence.excluded()
    if name in ("no bonus", "last redrawn"):  # they never come to where the bonus is
        assert excluded.pop("bonus from the row before") == pytest.approx(0)
    assert min(excluded.values()) > 9


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_is_found_and_named_and_not_excluded(name: str) -> None:
    evidence = run(Engine(WRONG[name]), Evidence(TARGETS, ALTERNATIVES), [500], 2)
    assert evidence.log10_e >= 9
    alike = [m for m in WRONG if same_conditionals(m, name)]
    leading = evidence.leading(len(alike))
    assert {m for m, _ in leading} == set(alike)
    assert sum(share for _, share in leading) > 0.99
    assert evidence.excluded().get(name, -math.inf) < 2


def same_conditionals(a: str, b: str) -> bool:
    """Wherever both come."""
    for one, other in zip(ALTERNATIVES[a], ALTERNATIVES[b], strict=True):
        left, right = conditionals(one), conditionals(other)
        if any(left[prefix] != right[prefix] for prefix in left.keys() & right.keys()):
            return False
    return True


def test_an_unknown_fault_is_found_without_a_mutant_and_called_unknown() -> None:
    engine = Engine(WRONG["residual is p"])
    others = {"one coin": ALTERNATIVES["one coin"]}
    for alternatives in {}, others:
        evidence = run(engine, Evidence(TARGETS, alternatives), [5000], 3)
        assert evidence.log10_e >= 9
        assert evidence.leading(1)[0][0] == NONE
        assert evidence.leading(1)[0][1] > 0.99


def test_a_fault_in_one_case_of_many_is_found_and_shown() -> None:
    right, wrong = Engine(chain.verify), Engine(WRONG["bonus from the row before"])
    evidence = Evidence(TARGETS, {})
    rng = np.random.default_rng(4)
    for case in range(len(CASES)):
        engine = wrong if case == 1 else right
        evidence.observe(case, engine.emit(case, 3000, rng))
    worst = evidence.worst()
    assert evidence.log10_e >= 9
    assert worst is not None
    assert (worst.case, len(worst.prefix)) == (1, 2)
    assert abs(worst.got - float(worst.want)) > 0.1


# --------------------------------------------------------------------------- the edges


def test_an_impossible_token_is_proof() -> None:
    case = world("certain-target")  # says 1 first, and nothing else
    evidence = Evidence([case.target], {"all kept": laws(WRONG["all kept"], [case])})
    evidence.observe(0, [(1, 0)] * 7 + [(1, 2, 2)] * 2 + [(1, 0, 0)])
    assert evidence.log10_e == math.inf
    worst = evidence.worst()
    assert worst is not None
    assert (worst.prefix, worst.token, worst.count, worst.trials) == ((1,), 2, 2, 10)
    assert (worst.want, worst.got) == (0, 0.2)
    assert evidence.excluded() == {}
    evidence.observe(0, [(1, 0)] * 1000)
    assert evidence.log10_e == math.inf


def test_an_impossible_token_still_tells_mutants_apart() -> None:
    case = world("certain-target")
    names = "all kept", "residual is p"
    alternatives = {name: laws(WRONG[name], [case]) for name in names}
    evidence = Evidence([case.target], alternatives)
    evidence.observe(0, [(2,)])
    assert evidence.leading(1)[0][0] == "all kept"


def test_nobody_asks_what_follows_an_impossible_token() -> None:
    rows: dict[tuple[int, ...], Probs] = {(): row([1, 0])}
    evidence = Evidence([rows.__getitem__], {})
    evidence.observe(0, [(1, 0)])
    assert evidence.log10_e == math.inf


def test_a_token_outside_the_vocabulary_is_bad() -> None:
    evidence = Evidence(TARGETS, {})
    for token in -1, 2:  # 2 is a token of the other cases
        with pytest.raises(Bad, match=f"case 0: the engine emitted {token}, .* 0 to 1"):
            evidence.observe(0, [(0, token)])


def test_the_largest_value_is_what_counts() -> None:
    cases = [world("turning")]
    alternatives = {"all kept": laws(WRONG["all kept"], cases)}
    evidence = Evidence([cases[0].target], alternatives)
    top = run(Engine(WRONG["all kept"], cases), evidence, [500], 5).log10_e
    run(Engine(chain.verify, cases), evidence, [5000], 6)
    assert 9 < top < math.inf
    assert evidence.valued() < top == evidence.log10_e


def test_order_and_batches_do_not_matter() -> None:
    blocks = Engine(chain.verify).emit(1, 200, np.random.default_rng(7))
    whole, parts = Evidence(TARGETS, ALTERNATIVES), Evidence(TARGETS, ALTERNATIVES)
    whole.observe(1, blocks)
    for emitted in reversed(blocks):
        parts.observe(1, [tuple(np.array(emitted))])
    assert whole.valued() == pytest.approx(parts.valued())
    assert whole.blocks == parts.blocks == 200
    assert whole.excluded() == pytest.approx(parts.excluded())


def test_nothing_seen_nothing_said() -> None:
    evidence = Evidence(TARGETS, {"all kept": [None] * len(TARGETS)})
    assert evidence.worst() is None
    assert evidence.valued() == pytest.approx(0)
    evidence.observe(0, [(0, 1)])
    assert evidence.excluded() == {"all kept": 0}
