"""Faults planted in the loop: each breaks one of the statements that hold without."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import pytest

from reference import decode as decoding
from reference.decode import decode
from reference.draft.medusa import Medusa
from reference.proposal import Proposal
from reference.randomness import Source, keyed
from specsim.drafters import DRAFTERS
from specsim.oracle.mutants import loops
from specsim.oracle.mutants.loops import LOOPS
from specsim.oracle.swapping import LoopFault
from specsim.rules import RULES
from tests.generation import trials
from tests.reference.draft import test_runs, toys

Trial = Callable[[], None]
CHAIN, TREE = ("draft-model", "chain"), ("suffix", "target_only")
WIDE = "lookahead", "target_only"


def stops() -> Iterator[Trial]:
    for tokens in product([1, 2, 3, 5], repeat=3):
        for stop in (["ab", "ca"], ["bab", "abb"]):
            yield partial(trials.speech_ends_character_by_character, [*tokens], stop)
    for pair in (CHAIN, WIDE):
        yield partial(trials.what_is_said_stays_said, *pair)
        yield partial(trials.text_ends_as_if_token_by_token, *pair)


def exact_text() -> Iterator[Trial]:
    for pair in (CHAIN, TREE, WIDE, ("eagle", "target_only")):
        yield partial(trials.greedy_text_is_plain, *pair)


def processors() -> Iterator[Trial]:
    for setting in trials.SETTINGS:
        for pair in (CHAIN, WIDE):
            yield partial(trials.logprobs_are_recomputed, *pair, setting)


def drafts() -> Iterator[Trial]:
    yield partial(trials.drafts_are_what_a_fresh_draft_says, "chain")
    yield features_are_those_of_the_text
    yield heads_read_the_last_token
    yield from (partial(goes_round, name) for name in LOOKUPS)


def logprobs() -> Iterator[Trial]:
    yield partial(trials.logprobs_are_recomputed, *WIDE, "temperature")


def coins() -> Iterator[Trial]:
    yield partial(trials.pathwise_text_is_plain, "draft-model", "sampler_match")
    pair = DRAFTERS["draft-model"], RULES["chain"]
    yield partial(test_runs.test_the_text_has_the_targets_law, pair)


STATEMENTS: dict[str, Callable[[], Iterator[Trial]]] = {
    loops.STOPS: stops,
    loops.ROLLBACK: exact_text,
    loops.TREES: exact_text,
    loops.PROCESSORS: processors,
    loops.DRAFT: drafts,
    loops.LOGPROBS: logprobs,
    loops.COINS: coins,
}
LOOKUPS = "prompt-lookup", "ngram", "suffix"


def goes_round(name: str) -> None:
    """A text that repeats itself is foretold, whatever was asked before."""
    text, made = [1, 2, 3, 4] * 6, DRAFTERS[name].make()
    for n in range(9, 20):
        drafted: Proposal = made.propose(text[:n], 3, keyed(0))
        assert drafted.path(len(drafted.tokens) - 1) == tuple(text[n : n + 3])


def features_are_those_of_the_text() -> None:
    """`toys.Ahead` insists on it."""
    for name, rule in (("eagle", "recursive"), ("mtp", "chain")):
        test_runs.run(DRAFTERS[name], RULES[rule], keyed(1), 40)


class Watched(Medusa):
    """Insists that heads are shown the last token that the target has read."""

    def __init__(self) -> None:
        super().__init__(self.shown, toys.RANKS)

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        self.read = tuple(context[:-1])
        return super().propose(context, k, source)

    def shown(self, hidden: Any) -> Any:
        assert hidden[0] == self.read
        return toys.heads(hidden)


def heads_read_the_last_token() -> None:
    list(
        decode(
            toys.Remembering(toys.TARGET),
            Watched(),
            RULES["target_only"].verify,
            test_runs.PROMPT,
            k=3,
            luck=lambda number, position: keyed(2, step=number),
            max_tokens=40,
        )
    )


@pytest.mark.parametrize("kind", STATEMENTS)
def test_without_a_fault_every_statement_holds(kind: str) -> None:
    for trial in STATEMENTS[kind]():
        trial()


@pytest.mark.parametrize("fault", LOOPS, ids=lambda fault: fault.name)
def test_every_fault_breaks_a_statement(fault: LoopFault) -> None:
    with fault.planted():
        assert any(broken(trial) for trial in STATEMENTS[fault.kind]())


@pytest.mark.parametrize(
    "fault", [f for f in LOOPS if f.kind == loops.DRAFT], ids=lambda fault: fault.name
)
def test_no_fault_of_a_draft_changes_the_text(fault: LoopFault) -> None:
    with fault.planted():
        for pair in (CHAIN, TREE, ("medusa", "target_only"), ("mtp", "chain")):
            trials.greedy_text_is_plain(*pair)


def test_what_was_planted_is_gone_again() -> None:
    fault = LOOPS[0]
    with fault.planted():
        assert decoding.until(frozenset({1}), [0, 1, 2]) == [0, 1, 2]
    assert decoding.until(frozenset({1}), [0, 1, 2]) == [0, 1]


def test_no_two_faults_are_the_same_change() -> None:
    assert len({fault.name for fault in LOOPS}) == len(LOOPS)
    assert len({(fault.file, fault.old, fault.new) for fault in LOOPS}) == len(LOOPS)


def broken(trial: Trial) -> bool:
    try:
        trial()
    except Exception:
        return True
    return False
