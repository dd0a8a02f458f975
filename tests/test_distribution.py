"""What a rule emits, sampled: tests that it must pass and a faulty rule must fail.

The laws of the references are known exactly elsewhere. Here the very floats, uniforms
and inverse CDFs are judged, in each reference and in its twin, by two tests at level
LEVEL: Pearson's chi-square on whole blocks, and Kolmogorov and Smirnov's on the tokens
one by one. Neither may pass for want of data: how many blocks are drawn follows from
the subtlest fault planted in that rule that MOST blocks can show. They reject that
fault with probability POWER, and on the same coins they must reject it. A rule of which
no planted fault can be seen fails.

Lossy rules must fail: as many blocks are drawn as it takes to see their own law.

Rules that are exact for each fixed draft are given a fixed one, and a coupled one if
they read races; others drafts of every kind that they accept. At temperature 0 what is
emitted is not random, whatever was drafted: there the tokens themselves are compared.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pytest

from reference.model import table
from reference.probs import Probs
from reference.proposal import Kind, Proposal, Rows, score
from reference.randomness import Refused, Source, Uniforms, replay
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World, nodes
from specsim.rules import RULES, Rule, Verify
from tests.statistics import JUDGES, LEAST, LEVEL, MOST, Block, Floats, Judge

pytestmark = pytest.mark.distribution

VOCAB = 3
WORLD = "7"
"""In this one, every rule has planted faults that both tests can see."""


class Case(NamedTuple):
    """A rule, and how the drafts that it is given came about."""

    rule: Rule
    kind: Kind

    def __str__(self) -> str:
        return f"{self.rule.name}-{self.kind}"

    @property
    def branching(self) -> tuple[int, ...]:
        return (2, 1) if self.rule.tree else (1, 1)

    def world(self, laws: Callable[[str], Rows]) -> World:
        target, drafter = laws("target"), laws("draft")
        return World(WORLD, VOCAB, target, drafter, self.branching, self.kind)


LOSSLESS = [rule for rule in RULES.values() if not rule.lossy]
LOSSY = [
    Case(rule, kind) for rule in RULES.values() if rule.lossy for kind in rule.kinds
]
GREEDY = [Case(rule, kind) for rule in LOSSLESS if rule.greedy for kind in rule.kinds]
FIXED: tuple[Kind, ...] = ("fixed",)
COUPLED: tuple[Kind, ...] = ("fixed", "coupled")
SAMPLED = [
    Case(rule, kind)
    for rule in LOSSLESS
    if not rule.greedy
    for kind in (
        rule.kinds
        if rule.losslessness == "marginal"
        else (COUPLED if rule.races else FIXED)
    )
]


@pytest.fixture(params=SAMPLED, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    given: Case = request.param
    return given


@pytest.fixture(params=GREEDY, ids=str)
def greedy(request: pytest.FixtureRequest) -> Case:
    given: Case = request.param
    return given


def seed(*names: str) -> int:
    """A seed that depends on nothing but the names."""
    return int.from_bytes(sha256(" ".join(names).encode()).digest()[:8])


@cache
def rows(name: str) -> Rows:
    """Rows that differ after each prefix, without zeros: every block can happen."""

    @cache
    def after(prefix: Block) -> Probs:
        rng = np.random.default_rng([seed(name, WORLD), *prefix])
        return table.row(rng.integers(1, 7, VOCAB))

    return after


@cache
def floats(name: str) -> Rows:
    return cache(lambda prefix: rows(name)(prefix).astype(float))


@pytest.fixture(params=JUDGES, ids=lambda judge: judge.__name__)
def judge(request: pytest.FixtureRequest, case: Case) -> Judge:
    given: Judge = request.param(rows("target"), len(case.branching) + 1)
    return given


@cache
def faults(case: Case) -> list[tuple[Mutant, exact.Law]]:
    """The faults planted in this rule that run here on coins tossed once, each with
    the exact law of the block, continued by the target.
    """
    found = []
    for mutant in MUTANTS.values():
        if not isinstance(mutant, Mutant) or mutant.rule != case.rule.name:
            continue
        with suppress(Refused, ZeroDivisionError):
            if mutant.kind != "coin reused":
                law = exact.emitted(mutant.verify, case.world(rows))
                length = len(case.branching) + 1
                found.append((mutant, exact.completed(law, rows("target"), length)))
    return found


@cache
def subtlest(case: Case, judge: Judge) -> tuple[Mutant, int]:
    """The subtlest planted fault that can be seen, and the blocks that show it."""
    needed = [(judge.needed(law), mutant) for mutant, law in faults(case)]
    seen = [(n, mutant) for n, mutant in needed if n <= MOST]
    assert seen, f"no fault planted in {case} is seen in {MOST} blocks: plant one"
    n, mutant = max(seen, key=lambda pair: pair[0])
    return mutant, int(n)


@cache
def coins(case: Case) -> dict[str, Floats]:
    """Uniforms (MOST, coins of that purpose); `rest` is for the tokens to come."""
    rng, drafted = np.random.default_rng(seed(str(case))), nodes(case.branching)
    purposes = {"draft": drafted, "accept": drafted, "sample": drafted + 1}
    wide = {**purposes, "rest": len(case.branching) + 1}
    return {purpose: rng.random((MOST, width)) for purpose, width in wide.items()}


@cache
def times(case: Case) -> Floats:
    """Times (MOST, rows, words) of the races that this rule reads, by depth."""
    rng = np.random.default_rng(seed(str(case), "race"))
    rows = nodes(case.branching) + 1
    return rng.standard_exponential((MOST, rows, case.rule.races * VOCAB))


def source(case: Case, i: int) -> Source:
    """The coins of block i, whoever verifies it."""
    return Uniforms(
        lambda coin: coins(case)[coin[0]][i, coin[1]],
        lambda d, n: times(case)[i, d, :n],
    )


@cache
def drafted(case: Case, i: int) -> tuple[Probs, Proposal]:
    """Target rows and proposal of block i."""
    proposed = case.world(floats).draft(source(case, i))
    return score(floats("target"), proposed), proposed


def continued(case: Case, i: int, emitted: Sequence[int]) -> Block:
    """Block i, continued by the target where it is short."""
    length = len(case.branching) + 1
    rest = replay([], coins(case)["rest"][i])
    block = tuple(emitted[:length])
    while len(block) < length:
        block = (*block, rest.sample(len(block), floats("target")(block)))
    return block


def by_reference(case: Case, verify: Verify, n: int) -> list[list[int]]:
    """The first n blocks."""
    return [verify(*drafted(case, i), source(case, i)) for i in range(n)]


def by_twin(case: Case, n: int) -> list[list[int]]:
    """The first n blocks, at once and in float64."""
    torch = pytest.importorskip("torch")
    ps, proposals = zip(*(drafted(case, i) for i in range(n)), strict=True)

    def tensor(values: Any, dtype: type = int) -> Any:
        return torch.from_numpy(np.array(values, dtype))

    soft = proposals[0].q is not None
    tokens, count = case.rule.twin(
        tensor(ps, float),
        tensor([a.q for a in proposals], float) if soft else None,
        tensor([a.tokens for a in proposals]),
        tensor([a.parents for a in proposals]),
        tensor([len(a.tokens) for a in proposals]),
        tensor(coins(case)["accept"][:n], float),
        tensor(coins(case)["sample"][:n], float),
        tensor(times(case)[:n], float),
    )
    return [block[:n] for block, n in zip(tokens.tolist(), count.tolist(), strict=True)]


def p_value(case: Case, judge: Judge, emitted: list[list[int]]) -> float:
    blocks = [continued(case, i, block) for i, block in enumerate(emitted)]
    name = type(judge).__name__
    return judge.p_value(blocks, np.random.default_rng(seed(str(case), name)))


def test_reference_keeps_the_targets_law(case: Case, judge: Judge) -> None:
    _, n = subtlest(case, judge)
    assert p_value(case, judge, by_reference(case, case.rule.verify, n)) > LEVEL


def test_planted_fault_is_rejected(case: Case, judge: Judge) -> None:
    fault, n = subtlest(case, judge)
    assert p_value(case, judge, by_reference(case, fault.verify, n)) <= LEVEL, fault


@pytest.mark.torch
def test_twin_keeps_the_targets_law(case: Case, judge: Judge) -> None:
    if case.rule.has_twin:
        _, n = subtlest(case, judge)
        assert p_value(case, judge, by_twin(case, n)) > LEVEL


def strays(blocks: list[list[int]]) -> list[list[int]]:
    """Those that are not the target's likeliest tokens, as far as they go."""
    likeliest: list[int] = []
    for _ in range(max(map(len, blocks))):
        likeliest.append(int(np.argmax(floats("target")(tuple(likeliest)))))
    return [block for block in blocks if not block or block != likeliest[: len(block)]]


def test_greedy_emits_the_likeliest_tokens(greedy: Case) -> None:
    assert not strays(by_reference(greedy, greedy.rule.verify, LEAST))


def test_planted_greedy_faults_emit_others() -> None:
    rows = [case.rule for case in GREEDY]
    planted = [f for f in MUTANTS.values() if RULES[f.rule] in rows]
    assert {fault.rule for fault in planted} == {case.rule.name for case in GREEDY}
    for fault in planted:
        assert isinstance(fault, Mutant)
        cases = [case for case in GREEDY if case.rule.name == fault.rule]
        blocks = [by_reference(case, fault.verify, LEAST) for case in cases]
        assert any(map(strays, blocks)), fault.line


@pytest.mark.torch
def test_greedy_twin_emits_the_same_tokens(greedy: Case) -> None:
    same = by_reference(greedy, greedy.rule.verify, LEAST)
    assert by_twin(greedy, LEAST) == same


@pytest.fixture(params=LOSSY, ids=str)
def lossy(request: pytest.FixtureRequest) -> Case:
    given: Case = request.param
    return given


def rejected(case: Case, blocks: Callable[[int], list[list[int]]]) -> bool:
    """Do both tests reject a rule of which the law is known not to be the target's?"""
    length = len(case.branching) + 1
    law = exact.emitted(case.rule.verify, case.world(rows))
    wrong = exact.completed(law, rows("target"), length)
    judges = [judge(rows("target"), length) for judge in JUDGES]
    enough = max(int(judge.needed(wrong)) for judge in judges)
    return all(p_value(case, judge, blocks(enough)) <= LEVEL for judge in judges)


def test_lossy_reference_is_rejected(lossy: Case) -> None:
    assert rejected(lossy, lambda n: by_reference(lossy, lossy.rule.verify, n))


@pytest.mark.torch
def test_lossy_twin_is_rejected(lossy: Case) -> None:
    assert rejected(lossy, lambda n: by_twin(lossy, n))
