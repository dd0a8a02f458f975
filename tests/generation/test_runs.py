"""Whole runs on small models: every sound pairing says what the target would."""

import pytest

from specsim.rules import RULES
from tests.generation import cast, trials

Pair = tuple[str, str]
PAIRS = pytest.mark.parametrize("pair", cast.NAMES, ids="-".join)
FEW = [
    ("draft-model", "chain"),
    ("draft-model", "block"),
    ("suffix", "target_only"),
    ("eagle", "recursive"),
    ("eagle2", "target_only"),
    ("medusa", "target_only"),
    ("lookahead", "target_only"),
    ("mtp", "sampler_match"),
]
"""Chains and trees, drawn and fixed."""
SOME = pytest.mark.parametrize("pair", FEW, ids="-".join)
PATHWISE = [(d, r) for d, r in cast.NAMES if RULES[r].losslessness == "pathwise"]


@PAIRS
def test_greedy_text_is_plain(pair: Pair) -> None:
    trials.greedy_text_is_plain(*pair)


@SOME
@pytest.mark.parametrize("setting", trials.SETTINGS)
def test_logprobs_are_recomputed(pair: Pair, setting: str) -> None:
    trials.logprobs_are_recomputed(*pair, setting)


@SOME
def test_text_ends_as_if_token_by_token(pair: Pair) -> None:
    trials.text_ends_as_if_token_by_token(*pair)


@PAIRS
def test_counts_are_of_the_steps(pair: Pair) -> None:
    trials.counts_are_of_the_steps(*pair)


@pytest.mark.parametrize("name", ["chain", "block", "recursive"])
def test_a_perfect_draft_is_kept(name: str) -> None:
    trials.a_perfect_draft_is_kept(name)


def test_drafts_are_what_a_fresh_draft_says() -> None:
    trials.drafts_are_what_a_fresh_draft_says("chain")


@pytest.mark.parametrize("pair", PATHWISE, ids="-".join)
def test_pathwise_text_is_plain(pair: Pair) -> None:
    trials.pathwise_text_is_plain(*pair)


@SOME
def test_what_is_said_stays_said(pair: Pair) -> None:
    trials.what_is_said_stays_said(*pair)
