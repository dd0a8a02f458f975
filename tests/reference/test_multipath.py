"""Rules that merge siblings, go up a tree or choose among paths: worked examples."""

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest

from reference.model.table import constant, row
from reference.probs import Probs, residual
from reference.proposal import Proposal, score
from reference.randomness import Refused, Source, branches, keyed, law
from reference.verify import block, multi_path_block, traversal
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import CHAINS, MOST, World, nodes, pairs
from specsim.rules import RULES, Verify

F = Fraction
TWO = 2, constant([1, 2]), constant([2, 1])
COINS = 2, constant([1, 1]), constant([1, 1])


class Unlucky:
    """A Source that keeps nothing, draws the likeliest token, and notes all it does."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, Any]] = []

    def accept(self, i: int, prob: Any) -> bool:
        self.asked.append(("accept", i, prob))
        return bool(prob == 1)

    def sample(self, r: int, weights: Probs) -> int:
        self.asked.append(("sample", r, [*weights]))
        return int(np.argmax(weights))

    def draft(self, i: int, weights: Probs) -> int:
        raise AssertionError

    race = draft


def tokens_per_step(verify: Verify, world: World) -> Fraction:
    law = exact.emitted(verify, world)
    return sum((len(block) * odds for block, odds in law.items()), F(0))


def given(verify: Verify, world: World, drafted: Proposal) -> exact.Law:
    """The law of the block that comes of one draft."""
    p = score(world.target, drafted)
    return law(lambda source: tuple(verify(p, drafted, source)))


def small_chains() -> Iterator[World]:
    for shape in CHAINS:
        for name, model in pairs().items():
            if model[0] ** nodes(shape) <= MOST:
                yield World(name, *model, shape)


def mutant(name: str) -> Verify:
    planted = MUTANTS[name]
    assert isinstance(planted, Mutant)
    return planted.verify


def test_traversal_step_by_step() -> None:
    """Siblings 0 and 1, and a 0 below each; every leaf that can fail does."""
    q = np.array([row([2, 1]), row([0, 1]), row([2, 1]), row([2, 1])])
    tree = Proposal([0, 1, 0, 0], [-1, -1, 0, 1], q, "without_replacement")
    source = Unlucky()
    assert traversal.verify(score(TWO[1], tree), tree, source) == [1, 1]
    assert source.asked == [
        ("accept", 2, F(1, 4)),
        ("accept", 0, 0),
        ("accept", 3, F(1, 2)),
        ("accept", 1, 1),
        ("sample", 2, [0, 1]),
    ]


@pytest.mark.parametrize("name", ["traversal", "multi_path_block"])
def test_of_one_path_it_is_block_verification_coin_by_coin(name: str) -> None:
    for where in small_chains():
        for seed, (drafted, _) in enumerate(branches(where.draft)):
            p = score(where.target, drafted)
            same = [
                verify(p, drafted, keyed(seed))
                for verify in (RULES[name].verify, block.verify)
            ]
            assert same[0] == same[1], where


def test_a_second_path_may_cost_tokens() -> None:
    """Where p is q one token is kept surely, the best of two with odds 3/4."""
    one, two = (World("coins", *COINS, (k,)) for k in (1, 2))
    assert tokens_per_step(multi_path_block.verify, one) == 2
    assert tokens_per_step(multi_path_block.verify, two) == F(7, 4)


def test_the_law_of_the_last_path_is_that_of_the_paths_chosen() -> None:
    for name, branching in ("two-tokens", (3, 1)), ("turning", (2, 1, 1)):
        where = World(name, *pairs()[name], branching)
        chosen: dict[tuple[int, ...], Fraction] = {}
        declared: dict[tuple[int, ...], Fraction] = {}
        for drafted, odds in branches(where.draft):
            p = score(where.target, drafted)
            best, law = multi_path_block._best(
                p, drafted, multi_path_block._paths(drafted)
            )
            path = drafted.path(best[-1])
            chosen[path] = chosen.get(path, F(0)) + odds
            declared[path] = prod(q[x] for q, x in zip(law, path, strict=True))
        assert chosen == declared


def test_the_last_of_two_worked() -> None:
    drafted = Proposal([1, 1, 0, 1], [-1, -1, 0, 1], np.array([row([2, 1])] * 4))
    p = score(TWO[1], drafted)
    best, law = multi_path_block._best(p, drafted, multi_path_block._paths(drafted))
    assert best == [0, 3]
    assert [[*q] for q in law] == [[F(4, 9), F(5, 9)], [F(28, 45), F(17, 45)]]


@pytest.mark.parametrize("parents", [[-1, 0, 0], [-1, -1, 1], [-1, 0, -1]])
def test_what_is_not_paths_of_one_length_is_refused(parents: list[int]) -> None:
    drafted = Proposal([0, 1, 0], parents, np.array([row([1, 1])] * 3))
    with pytest.raises(Refused, match="no paths of one length"):
        multi_path_block.verify(score(COINS[1], drafted), drafted, keyed(0))


def test_choice_and_law_must_break_ties_alike() -> None:
    where = World("coins", *COINS, (2,))
    emitted = exact.emitted(mutant("ties-to-the-first-path"), where)
    assert exact.conditionals(emitted)[()] == {0: F(2, 3), 1: F(1, 3)}


def hierarchical(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Hierarchical speculative decoding with every ratio capped, as its paper has it.

    Zhou et al. (2026), https://arxiv.org/abs/2601.05724. The odds of a prefix are
    divided by the largest ratio p/q of the odds of any prefix of it.
    """
    tokens, q = proposal.tokens, proposal.drawn_from
    ratios = [Fraction(1)]
    for i, x in enumerate(tokens):
        ratios.append(ratios[-1] * p[i, x] / q[i, x])
    caps = [max(ratios[: i + 1]) for i in range(len(ratios))]
    weights = [ratio / cap for ratio, cap in zip(ratios, caps, strict=True)]
    if not tokens or source.accept(len(tokens) - 1, weights[-1]):
        return [*tokens, source.sample(len(tokens), p[-1])]
    for i in reversed(range(len(tokens))):
        more = residual(weights[i] * p[i], q[i])
        less = residual(q[i], weights[i] * p[i])
        most = max(more.sum(), less.sum())
        if i == 0 or source.accept(i - 1, more.sum() / most if most else 1):
            return [*tokens[:i], source.sample(i, more)]
    raise AssertionError


def test_capped_hierarchical_decoding_is_block_verification() -> None:
    for where in small_chains():
        for drafted, _ in branches(where.draft):
            capped = given(hierarchical, where, drafted)
            assert capped == given(block.verify, where, drafted), where


def test_uncapped_it_is_not_lossless_though_its_first_token_is() -> None:
    where = World("two-tokens", *TWO, (1, 1))
    emitted = exact.emitted(mutant("last-pass-uncapped"), where)
    first, two = (exact.completed(emitted, where.target, n) for n in (1, 2))
    assert [first[0,], first[1,]] == [F(1, 3), F(2, 3)]
    assert [two[x, y] for x in range(2) for y in range(2)] == [
        F(1, 9),
        F(2, 9),
        F(1, 3),
        F(1, 3),
    ]
    assert tokens_per_step(mutant("last-pass-uncapped"), where) == F(7, 3)
