"""Lengths that are predictable keep the law; lengths that look at the token do not."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from operator import mul
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import trimming
from reference.model.table import constant, table
from reference.probs import Probs
from reference.proposal import Proposal, draft, score
from reference.randomness import Shifted, Source, branches, keyed, law
from reference.trimming import More, budgeted, confident, stop_after, trimmed
from specsim.oracle import exact
from specsim.oracle.planted import Wired, rewritten
from specsim.oracle.worlds import World, chains
from specsim.rules import RULES, Rule

F = Fraction
HALF = F(1, 2)
Tokens = tuple[int, ...]
MARGINAL = [
    rule
    for rule in RULES.values()
    if rule.losslessness == "marginal" and "iid" in rule.accepts
]
SMALL = [w for w in chains() if w.vocab ** len(w.branching) <= 9]

marginal = pytest.mark.parametrize("given_rule", MARGINAL, ids=lambda rule: rule.name)


def cut(world: World, to: Callable[[Proposal], Proposal]) -> World:
    """The world in which that prefix of each draft is submitted."""

    def propose(where: World, source: Source) -> Proposal:
        return to(draft(where.drafter, where.branching, source))

    return Wired(**vars(world), propose=propose)


def dropped(drawn: Proposal) -> Proposal:
    """What no length that is let through can do: leave out an unlikely token."""
    odds = [row[x] for x, row in zip(drawn.tokens, drawn.drawn_from, strict=True)]
    n = next((i for i, w in enumerate(odds) if w < HALF), len(odds))
    return Proposal(drawn.tokens[:n], drawn.parents[:n], drawn.drawn_from[:n])


def by_prefix(seed: int) -> More:
    """Any function of the tokens before."""

    def more(before: Tokens, rows: Probs) -> bool:
        return not before or bool(np.random.default_rng([seed, *before]).integers(2))

    return more


@pytest.mark.distribution
@marginal
@pytest.mark.parametrize(
    "more",
    [*map(by_prefix, (1, 2, 5)), confident(HALF), stop_after(HALF)],
    ids=["table-1", "table-2", "table-5", "confident", "stop-after"],
)
def test_a_predictable_length_keeps_the_law(given_rule: Rule, more: More) -> None:
    uneven = 0
    for world in SMALL:
        where = cut(world, lambda drawn: trimmed(drawn, more))
        assert not exact.bias(given_rule.verify, where), str(world)
        uneven += len({len(drawn.tokens) for drawn, _ in branches(where.draft)}) > 1
    assert uneven


@pytest.mark.distribution
@marginal
def test_dropping_an_unlikely_token_does_not(given_rule: Rule) -> None:
    assert any(exact.bias(given_rule.verify, cut(world, dropped)) for world in SMALL)


def test_what_dropping_an_unlikely_token_makes_of_a_fair_coin() -> None:
    world = World("worked", 2, constant([1, 1]), constant([3, 1]), (1,))
    verify, one_hot = RULES["chain"].verify, RULES["one_hot"].verify
    emitted = exact.emitted(verify, cut(world, dropped))
    first = exact.completed(emitted, world.target, 1)
    assert first == {(0,): F(5, 8), (1,): F(3, 8)}
    assert not exact.bias(one_hot, cut(world, dropped), "conditional")


def test_a_guard_that_shows_the_token_itself_is_none() -> None:
    blind = rewritten("trimming", "proposal.tokens[:k]", "proposal.tokens[: k + 1]")

    def more(before: Tokens, rows: Probs) -> bool:
        return len(before) < len(rows) or bool(rows[-1][before[-1]] >= HALF)

    for guard, right in [(trimming, True), (blind, False)]:

        def to(drawn: Proposal, guard: ModuleType = guard) -> Proposal:
            made: Proposal = guard.trimmed(drawn, more)
            return made

        biases = [exact.bias(RULES["chain"].verify, cut(w, to)) for w in SMALL]
        assert any(biases) != right


def test_who_decides_sees_the_tokens_before_and_the_rows_up_to_its_own() -> None:
    drawn = draft(table(3, 3), (1, 1, 1), keyed(1))
    kept = drawn.drawn_from.copy()
    seen: list[tuple[Tokens, int]] = []

    def more(before: Tokens, rows: Probs) -> bool:
        seen.append((before, len(rows)))
        assert rows.base is None
        rows[:] = 0
        return True

    assert trimmed(drawn, more).tokens == drawn.tokens
    assert seen == [(tuple(drawn.tokens[:k]), k + 1) for k in range(3)]
    assert (drawn.drawn_from == kept).all()


@given(least=st.fractions(0, 1), seed=st.integers(0, 50))
def test_lengths_as_described(least: Fraction, seed: int) -> None:
    drawn = draft(table(seed, 3), (1, 1, 1, 1), keyed(seed))
    q = drawn.drawn_from
    odds = [row[x] for x, row in zip(drawn.tokens, q, strict=True)]
    unsure = [k for k, row in enumerate(q) if max(row) < least]
    unlikely = [k + 1 for k, w in enumerate(odds) if w < least]
    for more, stops in [(confident(least), unsure), (stop_after(least), unlikely)]:
        made = trimmed(drawn, more)
        n = min([*stops, 4])
        assert made.tokens == drawn.tokens[:n]
        assert made.parents == drawn.parents[:n]
        assert (made.drawn_from == q[:n]).all()


TARGET = table(7, 2), table(17, 2)
DRAFTER = table(107, 2), table(27, 2)


def joint(allocate: Callable[..., list[Proposal]], confidence: Any) -> exact.Law:
    """The law of four tokens, two of each of two requests that share a budget of two.

    Shorter blocks are continued by the targets.
    """

    def run(source: Source) -> tuple[Tokens, ...]:
        luck = [Shifted(source, 10 * r) for r in range(2)]
        drawn = [draft(DRAFTER[r], (1, 1), luck[r]) for r in range(2)]
        blocks = []
        for r, proposal in enumerate(allocate(drawn, confidence, 2)):
            p = score(TARGET[r], proposal)
            blocks.append(tuple(RULES["chain"].verify(p, proposal, luck[r])))
        return tuple(blocks)

    whole: exact.Law = {}
    for (a, b), odds in law(run).items():
        for s, first in exact.completed({a: odds}, TARGET[0], 2).items():
            for t, share in exact.completed({b: first}, TARGET[1], 2).items():
                whole[s + t] = whole.get(s + t, F(0)) + share
    return whole


def truth() -> exact.Law:
    each = [exact.completed({(): F(1)}, target, 2) for target in TARGET]
    return {s + t: a * b for s, a in each[0].items() for t, b in each[1].items()}


@pytest.mark.distribution
def test_a_budget_for_the_batch_keeps_the_joint_law() -> None:
    assert joint(budgeted, lambda before, rows: max(rows[-1])) == truth()
    knowing = lambda before, rows: F(1, 1 + sum(before))  # noqa: E731
    assert joint(budgeted, knowing) == truth()


@pytest.mark.distribution
def test_a_budget_that_looks_at_the_tokens_does_not() -> None:
    blind = rewritten("trimming", "proposal.tokens[:k]", "proposal.tokens[: k + 1]")
    own = lambda before, rows: rows[-1][before[-1]]  # noqa: E731
    assert joint(blind.budgeted, own) != truth()


@given(
    weights=st.lists(st.lists(st.fractions(0, 1), max_size=4), max_size=4),
    budget=st.integers(0, 9),
)
def test_a_budget_goes_to_the_tokens_likeliest_to_survive(
    weights: list[list[Fraction]], budget: int
) -> None:
    """Confidences are smuggled in as rows of one word."""
    chains = [
        Proposal(
            [0] * len(row), [*range(-1, len(row) - 1)], np.array([[w] for w in row])
        )
        for row in weights
    ]
    lengths = [
        len(made.tokens)
        for made in budgeted(chains, lambda before, rows: rows[-1][0], budget)
    ]
    assert sum(lengths) == min(budget, sum(map(len, weights)))
    kept, left = [], []
    for row, n in zip(weights, lengths, strict=True):
        survival = [*accumulate(row, mul)]
        kept += survival[:n]
        left += survival[n:]
    assert not kept or not left or min(kept) >= max(left)


def test_trees_and_fixed_drafts_are_refused() -> None:
    tree = draft(table(1, 3), (2,), keyed(1))
    fixed = draft(table(1, 3), (1, 1), keyed(1), "fixed")
    for drawn, why in [(tree, "a tree has no prefix"), (fixed, "needs no guard")]:
        with pytest.raises(ValueError, match=why):
            trimmed(drawn, confident(0))
        with pytest.raises(ValueError, match=why):
            budgeted([drawn], lambda before, rows: 1, 1)
