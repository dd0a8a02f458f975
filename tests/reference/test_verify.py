"""The rules against numbers worked by hand, and against each other.

All laws are exact. Figures for the three small models below follow from closed forms:
with a = sum min(p, q) a chain of two emits 1 + a + a*a tokens, and so on.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reference.model.table import argmax, constant, row, table
from reference.proposal import Kind, Proposal, Rows
from reference.randomness import Refused, law
from specsim.oracle import exact
from specsim.oracle.worlds import CHAINS, MOST, SHAPES, World, nodes, pairs
from specsim.rules import RULES, TREE, Rule, named

F = Fraction
Tokens = tuple[int, ...]
THREE = 3, constant([3, 2, 1]), constant([1, 1, 2])
SAME = 3, constant([3, 2, 1]), constant([3, 2, 1])
TWO = 2, constant([1, 2]), constant([2, 1])

marginal = pytest.mark.parametrize(
    "name", [r.name for r in RULES.values() if r.losslessness == "marginal"]
)


def world(model: tuple[int, Rows, Rows], *branching: int, kind: Kind = "iid") -> World:
    return World("worked", *model, branching, kind)


def emitted(name: str, where: World) -> exact.Law:
    return exact.emitted(named(name).verify, where)


def blocks(name: str, where: World) -> list[exact.Law]:
    """The law of the block for each fixed draft."""
    return [drafted.block for drafted in exact.drafts(named(name).verify, where)]


def tail(law: exact.Law, kept: int) -> Fraction:
    """The odds that at least `kept` drafted tokens are emitted."""
    return sum((odds for block, odds in law.items() if len(block) > kept), F(0))


def some_worlds(*shapes: tuple[int, ...], kind: Kind = "iid") -> Iterator[World]:
    for shape in shapes:
        for name, model in pairs().items():
            if model[0] ** nodes(shape) <= MOST:
                yield World(name, *model, shape, kind)


@pytest.mark.parametrize(
    ("name", "shape", "kind", "three", "same", "two"),
    [
        ("sampler_match", (1, 1), "iid", F(793, 576), F(499, 324), F(133, 81)),
        ("one_hot", (1, 1), "iid", F(793, 576), F(499, 324), F(133, 81)),
        ("chain", (1, 1), "iid", F(19, 9), 3, F(19, 9)),
        ("block", (1, 1), "iid", F(13, 6), 3, F(20, 9)),
        ("target_only", (2, 1), "fixed", F(16, 9), F(9, 4), F(7, 3)),
        ("target_only", (2, 1), "iid", F(15215, 9216), F(611, 324), F(163, 81)),
        ("recursive", (2, 1), "iid", F(43, 18), 3, F(62, 27)),
        ("recursive", (2, 1), "without_replacement", F(91, 36), 3, F(8, 3)),
        ("deduplicated", (2, 1), "iid", F(1351, 576), 3, F(7, 3)),
        ("traversal", (2, 1), "iid", F(1385, 576), 3, F(196, 81)),
        ("traversal", (2, 1), "without_replacement", F(47, 18), 3, F(25, 9)),
        ("multi_path_block", (2, 1), "iid", F(251, 96), F(39, 16), F(212, 81)),
    ],
)
def test_tokens_per_step(
    name: str,
    shape: tuple[int, ...],
    kind: Kind,
    three: Fraction,
    same: Fraction,
    two: Fraction,
) -> None:
    def tokens_per_step(model: tuple[int, Rows, Rows]) -> Fraction:
        law = emitted(name, world(model, *shape, kind=kind))
        return sum((len(block) * odds for block, odds in law.items()), F(0))

    assert [*map(tokens_per_step, (THREE, SAME, TWO))] == [three, same, two]


def test_chain_keeps_two_thirds_and_corrects_the_rest() -> None:
    law = emitted("chain", world(THREE, 1))
    assert tail(law, 1) == F(2, 3)
    assert [law.get((x,), 0) * 3 for x in range(3)] == [F(3, 4), F(1, 4), 0]


@pytest.mark.parametrize(
    ("kind", "accepted"), [("iid", F(5, 6)), ("without_replacement", F(11, 12))]
)
def test_recursive_keeps_one_of_two_siblings(kind: Kind, accepted: Fraction) -> None:
    assert tail(emitted("recursive", world(THREE, 2, kind=kind)), 1) == accepted


def kept_by_chain(p: Fraction, q: Fraction, before: Fraction, _: Fraction) -> Fraction:
    """The product of min(p, q) along a path."""
    return before * min(p, q)


def kept_by_block(p: Fraction, q: Fraction, before: Fraction, path: Fraction) -> Any:
    """m(s) = min(m(s before) p, the draft's odds of the path s)."""
    return min(before * p, path * q)


Step = Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]


@pytest.mark.parametrize(
    ("name", "step"), [("chain", kept_by_chain), ("block", kept_by_block)]
)
def test_odds_of_keeping_a_prefix(name: str, step: Step) -> None:
    for where in some_worlds(*CHAINS):
        law = emitted(name, where)
        level: dict[Tokens, tuple[Fraction, Fraction]] = {(): (F(1), F(1))}
        for depth in range(1, len(where.branching) + 1):
            level = {
                (*s, x): (step(p, q, kept, path), path * q)
                for s, (kept, path) in level.items()
                for x, (p, q) in enumerate(
                    zip(where.target(s), where.drafter(s), strict=True)
                )
            }
            assert tail(law, depth) == sum(kept for kept, _ in level.values()), where


def test_block_keeps_no_less_than_chain() -> None:
    for where in some_worlds(*CHAINS):
        chain, block = emitted("chain", where), emitted("block", where)
        for depth in range(1, len(where.branching) + 1):
            assert tail(block, depth) >= tail(chain, depth), where


@pytest.mark.parametrize(
    ("name", "other", "shapes"),
    [
        ("block", "chain", CHAINS[:1]),
        ("recursive", "chain", CHAINS),
        ("deduplicated", "chain", CHAINS),
        ("traversal", "block", CHAINS),
        ("multi_path_block", "block", CHAINS),
        ("target_only", "sampler_match", CHAINS),
        ("one_hot", "sampler_match", CHAINS),
    ],
)
def test_one_rule_is_another(name: str, other: str, shapes: Any) -> None:
    for where in some_worlds(*shapes):
        assert blocks(name, where) == blocks(other, where), where


def test_every_rule_is_exact_match_at_temperature_zero(rule: Rule) -> None:
    """But recursive rejection does not go on below another copy of what it kept."""
    if rule.name == "cascade":  # it believes a sure draft at any temperature
        return
    for kind in rule.accepts:
        for where in some_worlds(*SHAPES[rule.shape], kind=kind):
            cold = replace(where, target=argmax(where.target))
            laws = zip(blocks(rule.name, cold), blocks("greedy", cold), strict=True)
            for (block,), (match,) in laws:
                said = len(block) if rule.name == "recursive" else len(match)
                assert block == match[:said], cold


def test_no_draft_is_one_token_of_the_targets(rule: Rule) -> None:
    where = world(THREE)
    truth = argmax(where.target) if rule.greedy else where.target
    law = emitted(rule.name, where)
    assert [law.get((x,), 0) for x in range(3)] == [*truth(())]
    assert max(map(len, law)) == 1


def test_one_word_leaves_nothing_to_refuse(rule: Rule) -> None:
    shape = (2, 1) if rule.tree else (1, 1)
    model = 1, constant([1]), constant([1])
    for kind in rule.accepts:
        law = emitted(rule.name, world(model, *shape, kind=kind))
        assert law == {(0, 0, 0): 1}


@marginal
def test_equal_laws_keep_everything(name: str) -> None:
    model = 3, table(1, 3), table(1, 3)
    shape = (2, 1) if named(name).shape == TREE else (1, 1)
    for kind in named(name).accepts:
        if kind != "fixed":
            assert tail(emitted(name, world(model, *shape, kind=kind)), 2) == 1


@marginal
def test_a_drafted_token_without_odds_is_a_bug(name: str) -> None:
    p, q = np.array([row([1, 1]), row([1, 1])]), np.array([row([1, 0])])
    impossible = Proposal([1], [-1], q)
    with pytest.raises((Refused, ZeroDivisionError)):
        law(lambda source: tuple(named(name).verify(p, impossible, source)))


@pytest.mark.parametrize("name", [r.name for r in RULES.values() if not r.greedy])
def test_an_empty_row_is_a_bug(name: str) -> None:
    p, q = np.array([0 * row([1, 1])] * 2), np.array([row([1, 1])])
    with pytest.raises((Refused, ZeroDivisionError)):
        law(lambda s: tuple(named(name).verify(p, Proposal([0], [-1], q), s)))
