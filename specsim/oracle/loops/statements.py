"""Which statements tell which sort of fault in the loop."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

from specsim import seam
from specsim.drafters import DRAFTERS
from specsim.oracle.loops import toys, trials, whole
from specsim.oracle.mutants import loops
from specsim.oracle.swapping import LoopFault
from specsim.rules import RULES
from specsim.seam import randomness

medusa: Any = seam.reference("draft.medusa")
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
    yield partial(trials.logprobs_are_recomputed, *CHAIN, "temperature")
    yield partial(trials.logprobs_are_recomputed, *WIDE, "temperature")


def coins() -> Iterator[Trial]:
    yield partial(trials.pathwise_text_is_plain, "draft-model", "sampler_match")
    pair = DRAFTERS["draft-model"], RULES["chain"]
    yield partial(whole.the_text_has_the_targets_law, *pair)


def metrics() -> Iterator[Trial]:
    for pair in (CHAIN, WIDE):
        yield partial(trials.counts_are_of_the_steps, *pair)
    yield partial(trials.a_perfect_draft_is_kept, "chain")


STATEMENTS: dict[str, Callable[[], Iterator[Trial]]] = {
    loops.STOPS: stops,
    loops.ROLLBACK: exact_text,
    loops.TREES: exact_text,
    loops.PROCESSORS: processors,
    loops.DRAFT: drafts,
    loops.LOGPROBS: logprobs,
    loops.COINS: coins,
    loops.METRICS: metrics,
}
LOOKUPS = "prompt-lookup", "ngram", "suffix"


def goes_round(name: str) -> None:
    """A text that repeats itself is foretold, whatever was asked before."""
    text, made = [1, 2, 3, 4] * 6, DRAFTERS[name].make()
    for n in range(9, 20):
        drafted: Any = made.propose(text[:n], 3, randomness.keyed(0))
        assert drafted.path(len(drafted.tokens) - 1) == tuple(text[n : n + 3])


def features_are_those_of_the_text() -> None:
    """`toys.Ahead` insists on it."""
    for name, rule in (("eagle", "recursive"), ("mtp", "chain")):
        whole.run(DRAFTERS[name], RULES[rule], randomness.keyed(1), 40)


class Watched(medusa.Medusa):  # type: ignore[misc]
    """Insists that heads are shown the last token that the target has read."""

    def __init__(self) -> None:
        super().__init__(self.shown, toys.RANKS)

    def propose(self, context: Sequence[int], k: int, source: Any) -> Any:
        self.read = tuple(context[:-1])
        return super().propose(context, k, source)

    def shown(self, hidden: Any) -> Any:
        assert hidden[0] == self.read
        return toys.heads(hidden)


def heads_read_the_last_token() -> None:
    list(
        seam.reference("decode").decode(
            toys.Remembering(toys.TARGET),
            Watched(),
            RULES["target_only"].verify,
            whole.PROMPT,
            k=3,
            luck=lambda number, position: randomness.keyed(2, step=number),
            max_tokens=40,
        )
    )


def broken(trial: Trial) -> bool:
    """Whether the statement does not hold now."""
    try:
        trial()
    except Exception:
        return True
    return False


def kill(fault: LoopFault) -> str | None:
    """The first statement that the planted fault breaks, by name."""
    with fault.planted():
        for trial in STATEMENTS[fault.kind]():
            if broken(trial):
                return named(trial)
    return None


def named(trial: Trial) -> str:
    made: Any = trial.func if isinstance(trial, partial) else trial
    return str(made.__name__).replace("_", " ")
