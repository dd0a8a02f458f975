"""The worth of drafts: against enumeration, and as bounds that every rule respects."""

from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference import theory, transport, values
from reference.model.table import constant, row, table
from reference.proposal import Kind, Proposal, Rows, draft, score
from reference.randomness import branches, keyed, law
from specsim.oracle import exact
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World, pairs
from specsim.rules import RULES, Rule, Verify
from tests.reference.test_multi_draft import goes_on

SEEDS, LENGTHS = st.integers(0, 30), st.integers(0, 3)
WORKED = constant([3, 2, 1]), constant([1, 1, 2])
TWO = constant([1, 2]), constant([2, 1])
RATES = st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=3)
NAMES = "three-tokens", "turning", "certain-draft", "disjoint", "equal", "table-1"


def tokens(verify: Verify, world: World) -> Fraction:
    """How many tokens a step emits on average."""
    blocks = exact.emitted(verify, world)
    return sum((len(block) * odds for block, odds in blocks.items()), Fraction())


def offered(world: World) -> dict[tuple[int, ...], Fraction]:
    """The law of the tokens drafted below the root."""
    shares: dict[tuple[int, ...], Fraction] = {}
    for proposed, odds in branches(world.draft):
        t = tuple(sorted(proposed.tokens))
        shares[t] = shares.get(t, Fraction()) + odds
    return shares


def world(name: str, branching: tuple[int, ...], kind: Kind, rule: Rule) -> World:
    vocab, target, drafter = pairs()[name]
    return World(name, vocab, target, drafter, branching, kind, rule.greedy)


def most(world: World) -> Fraction:
    """The most that any rule can go on from the root."""
    best: Fraction = transport.optimum(world.truth(()), offered(world))
    return best


def longest(world: World) -> Fraction:
    """The most tokens that any rule can emit in a step of one path."""
    k = len(world.branching)
    return 1 + sum(values.block_survival(world.truth, world.drafter, k), Fraction())


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_goes_on_more_often_than_transport(rule: Rule, name: str) -> None:
    for kind in rule.kinds:
        for n in (1, 2) if rule.tree else (1,):
            where = world(name, (n,), kind, rule)
            if not rule.lossy:
                assert goes_on(rule.verify, where) <= most(where), str(where)
                if rule.name in ("optimal_transport", "conditional_transport", "hub"):
                    assert goes_on(rule.verify, where) == most(where), str(where)


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_keeps_more_of_a_path_than_blocks(rule: Rule, name: str) -> None:
    if "iid" in rule.kinds and not rule.lossy:
        where = world(name, (1, 1), "iid", rule)
        assert tokens(rule.verify, where) <= longest(where)
        if rule.name in ("block", "conditional_transport", "traversal"):
            assert tokens(rule.verify, where) == longest(where)


@pytest.mark.parametrize("name", ["accept-all", "two-chances"])
def test_bounds_notice_who_keeps_too_much(name: str) -> None:
    fault = MUTANTS[name]
    assert isinstance(fault, Mutant)
    where = world("three-tokens", (1, 1), "iid", fault.row)
    assert tokens(fault.verify, where) > longest(where)
    where = world("three-tokens", (1,), "iid", fault.row)
    assert goes_on(fault.verify, where) > most(where)


@given(SEEDS, LENGTHS)
def test_chains_survive_as_their_rule_says(seed: int, k: int) -> None:
    target, drafter = table(seed, 2), table(seed + 100, 2)
    where = World("table", 2, target, drafter, (1,) * k)
    for name in ("chain", "block"):
        survival = getattr(values, f"{name}_survival")(target, drafter, k)
        emitted = exact.emitted(RULES[name].verify, where)
        for d, share in enumerate(survival, start=1):
            assert share == sum(odds for b, odds in emitted.items() if len(b) > d)


@given(SEEDS, LENGTHS)
def test_one_token_is_kept_as_often_either_way(seed: int, k: int) -> None:
    models = table(seed, 3), table(seed + 100, 3)
    chain, block = values.chain_survival(*models, k), values.block_survival(*models, k)
    assert chain[:1] == block[:1]
    assert all(a <= b for a, b in zip(chain, block, strict=True))


def test_worked_chains() -> None:
    assert 1 + sum(values.chain_survival(*WORKED, 2)) == Fraction(19, 9)
    assert 1 + sum(values.block_survival(*WORKED, 2)) == Fraction(13, 6)
    assert values.block_survival(*TWO, 2) == [Fraction(2, 3), Fraction(5, 9)]
    assert values.chain_survival(*TWO, 4) == [Fraction(2, 3) ** d for d in range(1, 5)]


@given(SEEDS, st.sampled_from([(), (2,), (2, 1), (2, 2), (3, 1)]))
def test_trees_survive_as_the_target_alone_says(
    seed: int, branching: tuple[int, ...]
) -> None:
    """Copies of a text count once."""
    target, drafter = table(seed, 3), table(seed + 100, 3)
    tree = draft(drafter, branching, keyed(seed))
    p = score(target, tree)
    emitted = law(lambda luck: tuple(RULES["target_only"].verify(p, tree, luck)))
    for d, share in enumerate(values.tree_survival(target, tree), start=1):
        assert share == sum(odds for b, odds in emitted.items() if len(b) > d)


@cache
def shapes(nodes: int, depth: int, vocab: int = 2) -> list[Proposal]:
    """Every tree of that many different texts."""
    texts = [t for d in range(1, depth + 1) for t in product(range(vocab), repeat=d)]
    trees = []
    for chosen in combinations(texts, nodes):
        place = {(): -1} | {text: i for i, text in enumerate(chosen)}
        if all(text[:-1] in place for text in chosen):
            last, above = [t[-1] for t in chosen], [place[t[:-1]] for t in chosen]
            trees.append(Proposal(last, above, None, "fixed"))
    return trees


@given(SEEDS, st.integers(1, 5), st.integers(1, 3))
def test_no_tree_survives_longer_than_the_best(
    seed: int, nodes: int, depth: int
) -> None:
    target = table(seed, 2)
    best = values.best_tree(target, nodes, depth)
    assert len(best.tokens) <= nodes
    assert all(parent < node for node, parent in enumerate(best.parents))
    worth = sum(values.tree_survival(target, best))
    for tree in shapes(nodes, depth):
        assert sum(values.tree_survival(target, tree)) <= worth


def test_the_best_tree_ends_with_the_support() -> None:
    """And goes no deeper than it may, and ties go to the text found first."""
    certain = constant([0, 1])
    assert values.best_tree(certain, 3)[:2] == ([1, 1, 1], [-1, 0, 1])
    assert values.best_tree(certain, 3, depth=1)[:2] == ([1], [-1])
    assert values.best_tree(constant([1, 1]), 4)[:2] == ([0, 1, 0, 1], [-1, -1, 0, 0])
    assert values.best_tree(certain, 0)[:2] == ([], [])


@given(RATES, st.integers(0, 9), st.none() | st.integers(0, 4))
def test_best_first_is_the_best_of_all_splits(
    rates: list[Fraction], nodes: int, depth: int | None
) -> None:
    """With the same rates at each node, the r-th word being the r-th child tried."""
    falling = np.array(sorted(rates, reverse=True), dtype=object)
    ranks: Rows = lambda prefix: falling  # noqa: E731
    tree = values.best_tree(ranks, nodes, depth)
    worth = 1 + sum(values.tree_survival(ranks, tree))
    assert values.tree_tokens(list(falling), nodes, depth) == worth


def test_trees_by_rank_as_published() -> None:
    rates = [Fraction(n, 10) for n in (6, 2, 1)]
    worth = [values.tree_tokens(rates, n) for n in range(8)]
    assert worth[:4] == [1, Fraction(8, 5), Fraction(49, 25), Fraction(272, 125)]
    assert worth[4:] == [
        *(Fraction(297, 125), Fraction(1566, 625)),
        *(Fraction(1641, 625), Fraction(1716, 625)),
    ]


@given(st.fractions(0, 1, max_denominator=9), LENGTHS)
def test_one_rank_is_a_chain(alpha: Fraction, k: int) -> None:
    assert values.tree_tokens([alpha], k) == theory.tokens_per_step(alpha, k)


@given(st.integers(0, 20), LENGTHS)
def test_states_are_averaged_over_all_their_ways(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    moves = np.array([row(rng.integers(1, 5, 2)) for _ in range(2)])
    rates, start = row(rng.integers(1, 5, 2)), row(rng.integers(1, 5, 2))
    by_hand = Fraction()
    for way in product(range(2), repeat=k):
        odds = start[way[0]] if k else Fraction(1)
        for here, there in pairwise(way):
            odds *= moves[here, there]
        by_hand += odds * theory.tokens_by_position([rates[state] for state in way])
    assert values.tokens_by_state(rates, moves, start, k) == by_hand
