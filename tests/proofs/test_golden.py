"""The references' exact laws are those that Coq computed from the proved programs."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reference.model.table import row
from reference.probs import Probs
from reference.randomness import Refused
from specsim.oracle import exact
from specsim.oracle.exact import Law
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import COIN_REUSED, RACE_SHARED, Mutant
from specsim.oracle.worlds import World
from specsim.rules import RULES, Verify

pytestmark = pytest.mark.proof

GOLDEN = Path(__file__).parents[2] / "proofs" / "golden" / "golden.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text())


def tokens(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def model(rows: dict[str, list[int]]) -> Callable[[tuple[int, ...]], Probs]:
    made = {tokens(prefix): row(weights) for prefix, weights in rows.items()}
    return lambda prefix: made[prefix]


def world(case: dict[str, Any]) -> World:
    target, draft = model(case["target"]), model(case["draft"])
    shape = tuple(case["branching"])
    return World(case["models"], case["words"], target, draft, shape, case["kind"])


def proved(case: dict[str, Any]) -> Law:
    return {tokens(block): Fraction(odds) for block, odds in case["law"].items()}


def emitted(verify: Verify, case: dict[str, Any]) -> Law:
    law = exact.emitted(verify, world(case))
    return {block: odds for block, odds in law.items() if odds}


def of(rule: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["rule"] == rule]


def name(case: dict[str, Any]) -> str:
    shape = "x".join(map(str, case["branching"]))
    return f"{case['rule']}-{case['kind']}-{shape}-{case['models'].replace(' ', '-')}"


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 200
    assert {case["kind"] for case in CASES} == {
        "fixed",
        "iid",
        "without_replacement",
        "hub",
    }


@pytest.mark.parametrize("case", [c for c in CASES if c["rule"] in RULES], ids=name)
def test_the_reference_emits_the_law_that_coq_computed(case: dict[str, Any]) -> None:
    assert emitted(RULES[case["rule"]].verify, case) == proved(case)


@pytest.mark.parametrize("case", of("plain"), ids=name)
def test_plain_sampling_has_the_law_that_coq_computed(case: dict[str, Any]) -> None:
    start: Law = {(): Fraction(1)}
    length = len(case["branching"])
    assert exact.completed(start, world(case).target, length) == proved(case)


CHAINS = [case for case in of("greedy_transport") if case["kind"] == "iid"]


@pytest.mark.parametrize("case", CHAINS, ids=name)
@pytest.mark.parametrize("other", ["block", "conditional_transport"])
def test_on_a_chain_transport_is_block_verification(
    other: str, case: dict[str, Any]
) -> None:
    assert emitted(RULES[other].verify, case) == proved(case)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_law_is_whole(case: dict[str, Any]) -> None:
    assert sum(proved(case).values()) == 1


NO_LAW = COIN_REUSED, RACE_SHARED
"""Faults that this reading of a law cannot run: they toss a coin twice, or race."""
PLANTED = [
    mutant
    for mutant in MUTANTS.values()
    if isinstance(mutant, Mutant) and of(mutant.rule) and mutant.kind not in NO_LAW
]


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_no_planted_fault_has_the_law_that_coq_computed(mutant: Mutant) -> None:
    assert any(differs(mutant.verify, case) for case in of(mutant.rule))


def differs(verify: Verify, case: dict[str, Any]) -> bool:
    """A fault that breaks a run, or asks for what there is not, differs as well."""
    try:
        return emitted(verify, case) != proved(case)
    except (Refused, ZeroDivisionError, IndexError, TypeError, ValueError):
        return True
