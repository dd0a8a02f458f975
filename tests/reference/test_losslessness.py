"""What the table of rules says of each rule, its class and its kinds, is measured."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference.model.table import argmax, table
from reference.proposal import KINDS, Kind, Proposal, score
from reference.randomness import branches, keyed, law
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World, worlds
from specsim.rules import CHAIN, RULES, TREE, Rule, Shape, Verify

MARGINAL = [rule for rule in RULES.values() if rule.losslessness == "marginal"]
PATHWISE = [rule for rule in RULES.values() if rule.losslessness == "pathwise"]
FIRM = [r for r in RULES.values() if r.losslessness in ("pathwise", "conditional")]


def each(rules: list[Rule]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("given_rule", rules, ids=lambda rule: rule.name)


def given_kind(rule: Rule, kind: Kind, shape: Shape) -> Iterator[World]:
    """The small worlds of a rule that accepts that kind, and drafts of that shape."""
    return worlds(replace(rule, accepts=(kind,), shape=shape))


def strays(verify: Verify, rule: Rule) -> Iterator[tuple[World, list[int]]]:
    """Drafts that make other tokens than the target draws with the same coins, or in
    the same races.
    """
    for world in given_kind(rule, "iid", CHAIN):
        for proposed, _ in branches(world.draft):
            source, own = keyed(5), keyed(5)
            block = verify(score(world.target, proposed), proposed, source)
            drawn: tuple[int, ...] = ()
            for position in range(len(block)):
                row = world.truth(drawn)
                if rule.races:
                    won = own.race(position, np.tile(row, rule.races))
                    drawn += (won % world.vocab,)
                else:
                    drawn += (own.sample(position, row),)
            if tuple(block) != drawn:
                yield world, proposed.tokens


@each(PATHWISE)
def test_pathwise_tokens_are_the_targets_own_draws(given_rule: Rule) -> None:
    assert not list(strays(given_rule.verify, given_rule))


@each(MARGINAL)
def test_marginal_tokens_are_not(given_rule: Rule) -> None:
    assert any(strays(given_rule.verify, given_rule))


@each(PATHWISE)
def test_a_fault_planted_in_a_pathwise_rule_leaves_the_path(given_rule: Rule) -> None:
    planted = [
        fault
        for fault in MUTANTS.values()
        if isinstance(fault, Mutant)
        and fault.rule == given_rule.name
        and fault.kind not in ("coin reused", "wrong row")
    ]
    assert planted
    for fault in planted:
        assert any(strays(fault.verify, given_rule)), fault.line


@st.composite
def fixed_trees(draw: st.DrawFn) -> Proposal:
    """Up to four tokens of three words, hung up anywhere: nobody drew them."""
    tokens = draw(st.lists(st.integers(0, 2), min_size=1, max_size=4))
    parents = [draw(st.integers(-1, i - 1)) for i in range(len(tokens))]
    return Proposal(tokens, parents, None, "fixed")


@each(FIRM)
@given(proposed=fixed_trees(), seed=st.integers(0, 99))
def test_law_is_kept_whatever_is_drafted(
    given_rule: Rule, proposed: Proposal, seed: int
) -> None:
    if not given_rule.tree:
        proposed = proposed._replace(parents=[*range(-1, len(proposed.tokens) - 1)])
    target = table(seed, 3)
    truth, p = argmax(target) if given_rule.greedy else target, score(target, proposed)
    block = law(lambda source: tuple(given_rule.verify(p, proposed, source)))
    length = len(proposed.tokens) + 1
    own = exact.completed({(): Fraction(1)}, truth, length)
    assert exact.completed(block, truth, length) == own


@each(MARGINAL)
def test_law_is_lost_on_some_fixed_draft(given_rule: Rule) -> None:
    given = given_kind(given_rule, "iid", CHAIN)
    assert any(exact.bias(given_rule.verify, world, "conditional") for world in given)


HARMLESS = {
    ("chain", "without_replacement"),
    ("chain", "hub"),
    ("block", "without_replacement"),
    ("block", "hub"),
    ("recursive", "hub"),
    ("deduplicated", "without_replacement"),
    ("deduplicated", "hub"),
    ("traversal", "hub"),
    ("hub", "iid"),
    ("hub", "without_replacement"),
    ("hub", "coupled"),
    ("greedy_transport", "iid"),
    ("greedy_transport", "coupled"),
    ("importance_weighted", "hub"),
}
"""Exact although not accepted. An only child is drawn alike under all three kinds, and
recursive rejection asks no more than that q is the row each sibling was drawn from. The
rules for hubs ask it of the last child alone, if its siblings do not depend on it. By
importance no other than the first of a hub is ever chosen, and that one is fixed.
"""


def biased_or_refused(verify: Verify, world: World) -> bool:
    """Refused: rows that no draft of the kinds accepted comes with."""
    try:
        return bool(exact.bias(verify, world))
    except (ValueError, ZeroDivisionError):
        return True


@pytest.mark.parametrize(
    ("given_rule", "kind"),
    [(rule, kind) for rule in MARGINAL for kind in KINDS if kind not in rule.accepts],
    ids=lambda part: part if isinstance(part, str) else part.name,
)
def test_kinds_not_accepted_are_biased_or_refused(given_rule: Rule, kind: Kind) -> None:
    given = list(given_kind(given_rule, kind, given_rule.shape))
    if kind == "fixed":
        with pytest.raises(ValueError, match="no q"):
            exact.bias(given_rule.verify, given[0])
    else:
        lost = any(biased_or_refused(given_rule.verify, world) for world in given)
        assert lost != ((given_rule.name, kind) in HARMLESS)


@each([rule for rule in RULES.values() if not (rule.tree or rule.lossy)])
def test_rules_for_chains_are_biased_on_trees(given_rule: Rule) -> None:
    for kind in given_rule.kinds:
        given = given_kind(given_rule, kind, TREE)
        trees = (world for world in given if max(world.branching) > 1)
        assert any(exact.bias(given_rule.verify, world) for world in trees), kind
