"""Drafted trees: their shape, and the law by which siblings came about."""

from fractions import Fraction
from itertools import permutations, product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from reference.model.table import constant, row, table
from reference.probs import without
from reference.proposal import KINDS, Kind, Proposal, draft, score
from reference.randomness import branches, keyed, law

Tokens = tuple[int, ...]
TREE = Proposal([5, 6, 5, 7, 7], [-1, -1, -1, 0, 2], np.zeros((5, 8)))

weights = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)


def siblings(weights: list[int], width: int, kind: Kind) -> dict[Tokens, Fraction]:
    model = constant(weights)
    return law(lambda source: tuple(draft(model, (width,), source, kind).tokens))


def test_children_in_the_order_drafted() -> None:
    assert TREE.children(-1) == [0, 1, 2]
    assert TREE.children(0) == [3]
    assert TREE.children(3) == []


def test_path_runs_from_the_root() -> None:
    assert [TREE.path(i) for i in (-1, 1, 4)] == [(), (6,), (5, 7)]


def test_a_path_leads_to_its_first_node_through_any_copy() -> None:
    assert TREE.at([]) == -1
    assert TREE.at([5]) == 0
    assert TREE.at([6]) == 1
    assert TREE.at([5, 7]) == 3
    assert TREE.at([7]) is None
    assert TREE._replace(tokens=[5, 6, 5, 6, 7]).at([5, 7]) == 4


def test_score_puts_the_root_first_and_each_node_after_its_path() -> None:
    target = table(3, 8)
    p = score(target, TREE)
    assert p.shape == (6, 8)
    for node in range(-1, 5):
        assert (p[node + 1] == target(TREE.path(node))).all()


def test_what_was_not_drawn_has_no_q() -> None:
    fixed = draft(constant([1, 2]), (1,), keyed(1), "fixed")
    assert fixed.q is None
    with pytest.raises(ValueError, match="a fixed proposal has no q"):
        _ = fixed.drawn_from


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_lie_level_by_level_below_their_parents(kind: Kind) -> None:
    made = draft(table(1, 4, most=3), (2, 1, 2), keyed(1), kind)
    assert made.kind == kind
    assert made.parents == [-1, -1, 0, 1, 2, 2, 3, 3]


def test_no_depth_is_no_draft() -> None:
    made = draft(constant([1, 2]), (), keyed(1))
    assert made.tokens == made.parents == []


@given(weights=weights)
def test_independent_siblings(weights: list[int]) -> None:
    q = row(weights)
    pairs = {(a, b): q[a] * q[b] for a, b in product(range(3), repeat=2)}
    expected = {pair: odds for pair, odds in pairs.items() if odds}
    assert siblings(weights, 2, "iid") == expected


@given(weights=weights)
def test_siblings_without_replacement(weights: list[int]) -> None:
    q = row(weights)
    if sum(map(bool, weights)) == 1:
        expected: dict[Tokens, Fraction] = {(int(np.argmax(q)),): Fraction(1)}
    else:
        expected = {
            (a, b): q[a] * q[b] / (1 - q[a])
            for a, b in permutations(range(3), 2)
            if q[a] * q[b]
        }
    assert siblings(weights, 2, "without_replacement") == expected


@given(weights=weights)
def test_hub_fixes_all_but_the_last(weights: list[int]) -> None:
    hub = int(np.argmax(weights))
    rest = without(row(weights), hub)
    expected: dict[Tokens, Fraction] = {(hub,): Fraction(1)}
    if rest.any():
        expected = {(hub, b): w / rest.sum() for b, w in enumerate(rest) if w}
    assert siblings(weights, 2, "hub") == expected


@given(weights=weights)
def test_fixed_siblings_are_the_likeliest(weights: list[int]) -> None:
    order = sorted(range(3), key=lambda x: (-weights[x], x))
    likeliest = tuple(x for x in order if weights[x])
    assert siblings(weights, 3, "fixed") == {likeliest: 1}


@pytest.mark.parametrize(
    ("kind", "drafted"),
    [("fixed", 2), ("iid", 3), ("without_replacement", 2), ("hub", 2)],
)
def test_where_support_runs_out_there_are_fewer_children(
    kind: Kind, drafted: int
) -> None:
    for tokens in siblings([3, 0, 1], 3, kind):
        assert len(tokens) == drafted
        assert 1 not in tokens


@pytest.mark.parametrize("kind", ["iid", "without_replacement", "hub"])
def test_q_is_the_row_a_token_was_drawn_from(kind: Kind) -> None:
    """Given the siblings before it, a node's law is its q, which sums to one."""
    drafter = table(2, 3)
    odds: dict[tuple[Tokens, Tokens, int], Fraction] = {}
    rows: dict[tuple[Tokens, Tokens], set[Tokens]] = {}
    for made, share in branches(lambda s: draft(drafter, (2, 1), s, kind)):
        for i, token in enumerate(made.tokens):
            past = tuple(made.tokens[:i]), tuple(made.parents[: i + 1])
            rows.setdefault(past, set()).add(tuple(made.drawn_from[i]))
            odds[(*past, token)] = odds.get((*past, token), Fraction(0)) + share
    for past, (q,) in rows.items():
        drawn = [odds.get((*past, x), Fraction(0)) for x in range(3)]
        assert sum(q) == 1
        assert [w / sum(drawn) for w in drawn] == list(q)


def test_drafted_coins_are_named_by_node() -> None:
    asked: list[int] = []

    class Listening:
        def draft(self, i: int, weights: object) -> int:
            asked.append(i)
            return 0

        def accept(self, i: int, prob: object) -> bool:
            raise AssertionError

        sample = race = draft

    draft(constant([1, 1]), (2, 2), Listening())
    assert asked == [0, 1, 2, 3, 4, 5]


def test_equal_siblings_become_one_with_the_children_of_all() -> None:
    uniform = np.array([row([1] * 8)] * 6)
    tree = Proposal([5, 6, 5, 7, 7, 6], [-1, -1, -1, 0, 2, 2], uniform).deduplicated()
    assert [tree.children(i) for i in (-1, 0, 1)] == [[0, 1], [3, 5], []]
    assert (tree.drawn_from[[0, 3]] == uniform[0]).all()
    assert (tree.drawn_from[1] == row([1, 1, 1, 1, 1, 0, 1, 1])).all()
    assert (tree.drawn_from[5] == row([1, 1, 1, 1, 1, 1, 1, 0])).all()


def test_what_is_left_of_copies_was_drawn_without_replacement() -> None:
    """Given the siblings before it, a sibling's law is the row that is declared."""
    drafter = table(4, 3)
    odds: dict[tuple[Tokens, Tokens], dict[int, Fraction]] = {}
    for made, share in branches(lambda s: draft(drafter, (3,), s)):
        tree = made.deduplicated()
        kept = tree.children(-1)
        for n, node in enumerate(kept):
            past = tuple(made.tokens[i] for i in kept[:n])
            seen = odds.setdefault((past, tuple(tree.drawn_from[node])), {})
            token = made.tokens[node]
            seen[token] = seen.get(token, Fraction(0)) + share
    assert len({past for past, _ in odds}) == len(odds)
    for (_, q), seen in odds.items():
        assert {x: w / sum(seen.values()) for x, w in seen.items()} == {
            x: w for x, w in enumerate(q) if w
        }


@pytest.mark.parametrize("kind", ["without_replacement", "hub", "fixed"])
def test_where_there_are_no_copies_nothing_is_merged(kind: Kind) -> None:
    made = draft(table(1, 4, most=3), (2, 2), keyed(2), kind)
    tree = made.deduplicated()
    assert tree.parents == made.parents
    assert kind == "fixed" or (tree.drawn_from == made.drawn_from).all()
