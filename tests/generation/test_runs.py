"""Whole runs on small models: every sound pairing says what the target would."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from reference.logits import Sampling
from specsim.generation.run import Run
from specsim.generation.timing import in_turn
from specsim.oracle.loops import cast, trials
from specsim.rules import RULES

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


def test_trees_with_copies_are_kept_by_a_real_cache() -> None:
    """Independent siblings may be equal: what is kept must still be one path."""
    for rule in ("target_only", "recursive", "deduplicated", "k_seq"):
        assert_copies_are_no_trouble(rule, (3, 2, 1))
    assert_copies_are_no_trouble("multi_path_block", (3, 1, 1))


def assert_copies_are_no_trouble(rule: str, branching: tuple[int, ...]) -> None:
    steps = trials.steps("draft-model", rule, Sampling(), branching=branching)
    assert any(len({*s.proposal.tokens}) < len(s.proposal.tokens) for s in steps)
    said = [token for step in steps for token in step.emitted]
    assert len(said) == 30


def test_runs_side_by_side_wait_for_one_another() -> None:
    order: list[str] = []

    def counted(name: str, run: Iterator[Run]) -> Iterator[Run]:
        for made in run:
            order.append(name)
            yield made

    scene = cast.scene("suffix", "target_only", seed=2)
    both = {"fast": scene.speculating(), "plain": scene.plodding(24)}
    fast, plain = in_turn(*(counted(*each) for each in both.items()))
    assert len(fast.tokens) == len(plain.tokens) == 24
    assert fast.tokens == scene.speculative().tokens
    assert plain.tokens == scene.plain(24).tokens
    assert order.count("plain") == 24
    ahead = [order[:n].count("plain") for n in range(len(order) + 1)]
    assert 8 < ahead[len(order) // 2] < 16


def test_times_are_of_runs_that_say_the_same() -> None:
    scene = cast.scene("ngram", "one_hot", seed=2)
    said = scene.speculative().tokens
    timed = scene.timed(len(said))
    assert all(run.tokens == said for run in timed.runs)
    assert all(len(run.tokens) == len(said) for run in timed.plain)
    seconds = timed.seconds
    assert 0 < seconds.draft < seconds.total
    assert 0 < seconds.verify < seconds.total
    assert 0 < seconds.overhead < seconds.total
    assert seconds.prompt > 0


class Places:
    """Words that are spelt by where they stand."""

    def encode(self, text: str) -> list[int]:
        raise NotImplementedError

    def text(self, tokens: Sequence[int]) -> str:
        return "".join(f"<{place}>" for place, _ in enumerate(tokens))


@pytest.mark.parametrize("noise", [0.0, 0.25])
def test_a_stop_string_ends_a_block_at_every_place(noise: float) -> None:
    """Within a token and across two; with noise 0 every draft of 3 is kept."""
    target = replace(cast.models(noise), words=Places())
    asked: dict[str, Any] = {"target": target, "seed": 9}
    whole = cast.run("draft-model", "chain", **asked)
    for n in range(1, 16):
        for stop, said in ((f"<{n}>", f"<{n - 1}>"), (f"{n - 1}><{n}", "<")):
            made = cast.run("draft-model", "chain", stop=[stop], **asked)
            assert made.tokens == whole.tokens[: n + 1]
            assert made.text.endswith(said)
            assert stop not in made.text
            assert made.tally.emitted == n + 1
            assert made.tally.truncated == blocks(whole)[n]
            assert made.end == "stop"
    assert {*blocks(whole)[:16]} == {0, 1, 2, 3}


def blocks(made: Run) -> list[int]:
    """Of each token, how many come after it in its block."""
    after: list[int] = []
    for each in reversed(made.emitted):
        last = each.origin != "accepted"
        after.append(0 if last or not after else after[-1] + 1)
    return after[::-1]


def test_a_token_that_ends_texts_does_at_every_place_of_a_block() -> None:
    found = set()
    for seed in range(12):
        whole = cast.run("draft-model", "block", target=cast.models(0.0), seed=seed)
        for token in {*whole.tokens}:
            target = replace(cast.models(0.0), ends=frozenset({token}))
            made = cast.run("draft-model", "block", target=target, seed=seed)
            place = whole.tokens.index(token)
            assert made.tokens == whole.tokens[: place + 1]
            if place < 20:
                assert made.tally.truncated == blocks(whole)[place]
                found.add(blocks(whole)[place])
    assert found == {0, 1, 2, 3}


def test_a_seed_is_a_text() -> None:
    for pair in FEW:
        texts = [tuple(cast.run(*pair, seed=seed).tokens) for seed in (0, 1, 2, 1)]
        assert texts[1] == texts[3]
        assert len({*texts}) == 3
