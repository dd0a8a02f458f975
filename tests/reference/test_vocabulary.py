"""Drafts of another vocabulary: among shared words, or by way of the text."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.decode import decode
from reference.model.table import Table, argmax, constant, row, table
from reference.probs import Probs, residual
from reference.proposal import Kind, Proposal, Rows, draft, score
from reference.randomness import Shifted, Source, keyed, law
from reference.vocabulary import (
    Retokenised,
    Shared,
    continued,
    restricted,
    shared,
    translated,
)
from specsim.oracle import exact
from specsim.oracle.worlds import World, worlds
from specsim.rules import RULES, Rule

F = Fraction
Tokens = tuple[int, ...]


class Longest:
    """A tokenizer that takes the longest word that fits, and "?" where none does."""

    def __init__(self, *words: str):
        self.words = words

    def encode(self, text: str) -> list[int]:
        ids = []
        while text:
            word = max(
                (w for w in self.words if text.startswith(w)), key=len, default=""
            )
            ids.append(self.words.index(word or "?"))
            text = text[len(word) or 1 :]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.words[x] for x in ids)


OURS, THEIRS = Longest("a", "b", "c"), Longest("c", "?", "a", "ca")
WORDS = shared(THEIRS.words, OURS.words)


def each(rules: list[Rule]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("given_rule", rules, ids=lambda rule: rule.name)


def encode(prefix: Tokens) -> Tokens:
    return tuple(THEIRS.encode(OURS.decode(prefix)))


def drafter(seed: int) -> Rows:
    """A model of four words of its own, of which the target knows two."""
    return table(seed, 4)


def test_words_are_the_same_however_spaces_are_marked() -> None:
    assert shared(THEIRS.words, OURS.words) == ([0, 2], [2, 0], 3)
    assert shared(["▁the", "the", "x"], ["y", "Ġthe", " the"]) == ([0], [1], 3)
    assert shared(["a"], ["b"]) == ([], [], 1)


def test_four_words_of_which_two_are_shared() -> None:
    p = row([4, 3, 2, 1])
    q = Shared([1, 0], [0, 1], 4).lift(row([1, 1]))
    assert [*q] == [F(1, 2), F(1, 2), 0, 0]
    assert np.minimum(p, q).sum() == F(7, 10) == p[:2].sum()
    left = residual(p, q)
    assert [*(left / left.sum())] == [0, 0, F(2, 3), F(1, 3)]

    rows = restricted(constant([1, 1]), Shared([1, 0], [0, 1], 4), lambda s: s)
    world = World("worked", 4, constant([4, 3, 2, 1]), rows, (1,))
    emitted = exact.emitted(RULES["chain"].verify, world)
    assert sum(odds for block, odds in emitted.items() if len(block) > 1) == F(7, 10)
    assert [emitted[(x,)] for x in (2, 3)] == [F(1, 5), F(1, 10)]


@given(weights=st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
def test_a_restricted_row_is_conditioned_on_the_shared_words(
    weights: list[int],
) -> None:
    rows = restricted(constant(weights), WORDS, encode)
    seen, common = rows(()), weights[0] + weights[2]
    want = [F(weights[x], common) if common else 0 for x in (2, 0)]
    assert [*seen] == [want[0], 0, want[1]]
    target = row([1, 2, 3])
    assert np.minimum(target, seen).sum() <= target[[0, 2]].sum()


@pytest.mark.distribution
@each([rule for rule in RULES.values() if not rule.lossy])
def test_every_rule_keeps_its_law_among_shared_words(given_rule: Rule) -> None:
    asked = 0
    for seed, world in enumerate(worlds(given_rule)):
        if world.vocab != 3 or sum(world.branching) > 2:
            continue
        foreign = replace(world, drafter=restricted(drafter(seed), WORDS, encode))
        asked += 1
        bias = exact.bias(given_rule.verify, foreign, given_rule.losslessness)
        assert not bias, str(world)
    assert asked


def test_where_no_word_is_shared_nothing_is_drafted() -> None:
    rows = restricted(constant([1, 0, 1, 1], [0, 1, 0, 1]), WORDS, encode)
    assert len(draft(rows, (1, 1, 1), keyed(0)).tokens) == 1


@pytest.mark.parametrize("kind", ["iid", "without_replacement"])
def test_translating_the_draft_is_drafting_in_translation(kind: Kind) -> None:
    theirs_of = dict(zip(WORDS.target, WORDS.draft, strict=True))

    def word_by_word(prefix: Tokens) -> Tokens:
        return tuple(theirs_of[x] for x in prefix)

    def odds(rows: Rows, words: Shared | None = None) -> dict[object, Fraction]:
        def run(source: Source) -> object:
            made = draft(rows, (2, 1), source, kind)
            made = translated(made, words) if words else made
            q = tuple(tuple(map(F, row)) for row in made.drawn_from)
            return tuple(made.tokens), tuple(made.parents), q, made.kind

        return law(run)

    for model in map(drafter, range(5)):

        def native(prefix: Tokens, model: Rows = model) -> Probs:
            return WORDS.restrict(model(prefix))

        assert odds(native, WORDS) == odds(restricted(model, WORDS, word_by_word))


def test_a_fixed_draft_is_translated_token_by_token() -> None:
    looked_up = Proposal([2, 0, 2], [-1, 0, 0], None, "fixed")
    assert translated(looked_up, WORDS) == ([0, 2, 0], [-1, 0, 0], None, "fixed")


def test_a_draft_that_was_not_restricted_is_refused() -> None:
    q = np.array([row([1, 1, 1, 1])])
    with pytest.raises(ValueError, match="no word for draft token 3: restrict"):
        translated(Proposal([3], [-1], q), WORDS)
    with pytest.raises(ValueError, match="words that the target lacks: restrict"):
        translated(Proposal([0], [-1], q), WORDS)


CAT = Longest("the", " ", "c", "a", "t", "ca", "cat", "s")


@pytest.mark.parametrize(
    ("window", "text", "said"),
    [
        (["the"], " cats", [" ", "cat"]),
        (["the", " "], "cat the", ["cat", " "]),
        (["the"], " ", []),
        (["the"], "", []),
        (["the", " ", "c"], "at the", []),
        (["c", "a", "t", " "], "the cat", ["the", " "]),
        (["a", " ", "a", " "], "a a a", ["a", " ", "a", " "]),
        (["cat", "s", " "], "cats cat", ["cat", "s", " "]),
    ],
    ids=str,
)
def test_text_is_continued_where_the_window_ends(
    window: list[str], text: str, said: list[str]
) -> None:
    ids = [CAT.words.index(word) for word in window]
    assert [CAT.words[x] for x in continued(ids, text, CAT)] == said


@given(text=st.text("cats ", max_size=8), more=st.text("cats ", max_size=8))
def test_what_is_proposed_is_the_start_of_what_was_drafted(
    text: str, more: str
) -> None:
    tokens = continued(CAT.encode(text), more, CAT)
    assert more.startswith(CAT.decode(tokens))
    assert tokens == CAT.encode(text + more)[-1 - len(tokens) : -1]


OWN, TARGET = Longest("b", "a", "baba"), Longest("a", "b", "ab")


class FromTable:
    """Drafts a chain of its own words."""

    def __init__(self, rows: Rows):
        self.rows = rows

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        raise AssertionError(f"{context} is in other tokens")

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        def after(path: Tokens) -> Probs:
            return self.rows((*context, *path))

        return draft(after, (1,) * k, source)

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        raise AssertionError(f"{emitted} and its rows are in other tokens")


def retokenised(rows: Rows, look_behind: int = 10) -> Retokenised:
    return Retokenised(FromTable(rows), OWN, TARGET, look_behind)


@pytest.mark.distribution
@pytest.mark.parametrize("context", [(0,), (1, 0), (0, 1), (2, 1, 0)], ids=str)
@each([r for r in RULES.values() if r.losslessness in ("pathwise", "conditional")])
def test_rules_without_q_keep_the_law_of_retokenised_drafts(
    given_rule: Rule, context: Tokens
) -> None:
    own = table(6, 3)
    target = argmax(own) if given_rule.greedy else own

    def run(source: Source) -> Tokens:
        proposal = retokenised(table(61, 3)).propose(context, 3, source)
        p = score(lambda s: own((*context, *s)), proposal)
        return tuple(given_rule.verify(p, proposal, source))

    def after(path: Tokens) -> Probs:
        return target((*context, *path))

    want = exact.completed({(): F(1)}, after, 3)
    assert exact.completed(law(run), after, 3) == want


@pytest.mark.parametrize(
    ("context", "k", "said"),
    [
        ([0, 1], 1, ["b"]),
        ([0, 1], 2, ["b", "ab"]),
        ([1, 1, 0], 2, []),
        ([0, 0, 1], 0, []),
    ],
    ids=str,
)
def test_retokenised_drafts_are_fixed_and_no_longer_than_asked(
    context: list[int], k: int, said: list[str]
) -> None:
    """The drafter says "baba" each time; after an "a" its "b" would join that."""
    made = retokenised(constant([0, 0, 1]), 1).propose(context, k, keyed(1))
    assert [TARGET.words[x] for x in made.tokens] == said
    assert made.parents == [*range(-1, len(said) - 1)]
    assert (made.q, made.kind) == (None, "fixed")


def test_retokenised_drafts_are_accepted_where_the_drafter_knows_the_text() -> None:
    """Both say "bbbb...": all that is drafted, less the unstable token, is kept."""
    steps = decode(
        Table(constant([0, 1, 0])),
        retokenised(constant([1, 0, 0])),
        RULES["sampler_match"].verify,
        [1],
        k=4,
        luck=lambda number, position: keyed(1, step=number),
        max_tokens=9,
    )
    assert [step.accepted for step in steps] == [3, 3, 0]


def test_the_text_does_not_depend_on_who_drafts_it() -> None:
    texts = set()
    for seed in range(4):
        steps = decode(
            Table(table(5, 3)),
            retokenised(table(seed, 3), 1 + seed),
            RULES["sampler_match"].verify,
            [0],
            k=4,
            luck=lambda number, position: Shifted(keyed(3), position),
            max_tokens=20,
        )
        texts.add(tuple(token for step in steps for token in step.emitted))
    assert len(texts) == 1


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="look_behind=0"):
        retokenised(table(1, 3), 0)
