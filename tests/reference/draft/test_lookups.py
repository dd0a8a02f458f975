"""Drafters that look up: against the plainest reading of their definitions."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.draft.ngram import NGram
from reference.draft.prompt_lookup import Occurrence, PromptLookup
from reference.draft.suffix import Suffix, Suffixes
from reference.proposal import Proposal
from reference.randomness import Source, replay

NO_LUCK: Source = replay([], [])
TEXTS = st.lists(st.integers(0, 2), min_size=1, max_size=30)


def naive_lookup(text: list[int], longest: int, k: int, last: bool) -> list[int]:
    for n in range(longest, 0, -1):
        starts = [i for i in range(len(text) - n) if text[i : i + n] == text[-n:]]
        if starts:
            at = starts[-1 if last else 0] + n
            return text[at : at + k]
    return []


@given(TEXTS, st.integers(1, 4), st.integers(0, 6), st.sampled_from(["first", "last"]))
def test_prompt_lookup_is_what_it_says(
    text: list[int], longest: int, k: int, which: Occurrence
) -> None:
    made = PromptLookup(longest, occurrence=which).propose(text, k, NO_LUCK)
    assert made.tokens == naive_lookup(text, longest, k, which == "last")
    assert made.parents == [*range(-1, len(made.tokens) - 1)]
    assert (made.q, made.kind) == (None, "fixed")


def naive_ngram(text: list[int], longest: int, k: int) -> list[int]:
    drafted: list[int] = []
    while len(drafted) < k:
        full = text + drafted
        for n in range(min(longest - 1, len(full)), 0, -1):
            after = Counter(
                text[i + n]
                for i in range(len(text) - n)
                if text[i : i + n] == full[-n:]
            )
            if after:
                top = max(after.values())
                drafted.append(min(t for t, c in after.items() if c == top))
                break
        else:
            break
    return drafted


@given(TEXTS, st.integers(2, 4), st.integers(0, 6), st.integers(0, 29))
def test_ngrams_count_each_token_once_however_the_text_grows(
    text: list[int], longest: int, k: int, cut: int
) -> None:
    drafter = NGram(longest)
    drafter.propose(text[: cut + 1], k, NO_LUCK)
    made = drafter.propose(text, k, NO_LUCK)
    assert made.tokens == naive_ngram(text, longest, k)


def test_ngrams_may_know_a_corpus_and_ask_for_more_than_one_sighting() -> None:
    assert NGram(corpus=[[7, 8, 9]]).propose([5, 7], 2, NO_LUCK).tokens == [8, 9]
    assert NGram(least=2, corpus=[[7, 8]]).propose([7], 2, NO_LUCK).tokens == []
    assert NGram(least=2, corpus=[[7, 8]] * 2).propose([7], 2, NO_LUCK).tokens == [8]


def occurrences(text: list[int], words: tuple[int, ...]) -> int:
    n = len(words)
    return sum(tuple(text[i : i + n]) == words for i in range(len(text) - n + 1))


@given(TEXTS, st.integers(0, 5))
def test_suffixes_draft_likely_continuations_of_what_was_matched(
    text: list[int], k: int
) -> None:
    made = Suffix(depth=8).propose(text, k, NO_LUCK)
    paths = [made.path(i) for i in range(len(made.tokens))]
    assert len(set(paths)) == len(paths)
    assert all(len(path) <= k for path in paths)
    assert all(-1 <= parent < i for i, parent in enumerate(made.parents))
    shares = [share(text, n, path) for path in paths for n in [matched(text, paths)]]
    assert all(s >= 0.1 for s in shares)


def matched(text: list[int], paths: list[tuple[int, ...]]) -> int:
    """A length of match under which every path was seen; there is one."""
    for n in range(min(7, len(text)), 0, -1):
        if all(share(text, n, path) >= 0.1 for path in paths):
            return n
    raise AssertionError("drafted what was never seen")


def share(text: list[int], n: int, path: tuple[int, ...]) -> float:
    words, product = tuple(text[-n:]), 1.0
    for token in path:
        product *= occurrences(text, (*words, token)) / occurrences(text, words)
        words = (*words, token)
    return product


def test_suffixes_branch_where_the_text_did() -> None:
    text = [1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3]
    made = Suffix().propose(text, 2, NO_LUCK)
    assert {made.path(i) for i in range(len(made.tokens))} == {
        (4,), (5,), (4, 1), (5, 1),
    }  # fmt: skip


def test_suffixes_of_earlier_texts_are_shared() -> None:
    shared = Suffixes(8)
    for text in ([1, 2, 3, 4], [9, 1]):
        for token in text:
            shared.add(token)
        shared.end()
    made = Suffix(depth=8, shared=shared).propose([7, 1, 2], 2, NO_LUCK)
    assert made.tokens == [3, 4]
    assert Suffix(depth=8).propose([7, 1, 2], 2, NO_LUCK).tokens == []
    ended = Suffix(depth=8, factor=9, shared=shared).propose([4], 2, NO_LUCK)
    assert ended.tokens == []


@pytest.mark.parametrize(("longest", "shortest"), [(0, 1), (1, 2), (2, 0)])
def test_senseless_lookups_are_refused(longest: int, shortest: int) -> None:
    with pytest.raises(ValueError, match="need 1 <= shortest <= longest"):
        PromptLookup(longest, shortest)


@pytest.mark.parametrize(("longest", "least"), [(1, 1), (2, 0)])
def test_senseless_counts_are_refused(longest: int, least: int) -> None:
    with pytest.raises(ValueError, match="need longest >= 2"):
        NGram(longest, least)


def test_nothing_drafted_is_a_proposal_too() -> None:
    for drafter in (PromptLookup(), NGram(), Suffix()):
        assert drafter.propose([1], 4, NO_LUCK) == Proposal([], [], None, "fixed")
