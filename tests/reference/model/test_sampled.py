"""A real network in the decode loop: rows are processed, and speculation is exact."""

from collections.abc import Sequence

import numpy as np
import pytest

from reference.decode import decode
from reference.logits import Sampling, process, rows
from reference.model.sampled import Sampled
from reference.probs import Probs
from reference.proposal import Proposal
from reference.randomness import Shifted, Source, keyed
from specsim.rules import RULES
from tests.reference.model.small import PLAIN, TEXT, TREE, model, path, told

PENALISED = Sampling(
    temperature=0.7, top_k=20, top_p=0.9, repetition=1.3, presence=0.5, frequency=0.2
)
PROMPT = 3


def sampled(sampling: Sampling, seed: int = 0) -> Sampled:
    return Sampled(model(seed=seed), sampling, PROMPT)


class Chain:
    """Drafts a chain token by token from a network of its own."""

    def __init__(self, network: Sampled):
        self.network, self.told = network, 0

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        new = context[self.told :]
        rows = self.network.extend(new, range(-1, len(new) - 1))[0]
        self.network.keep(range(len(new)))
        self.told = len(context)
        tokens: list[int] = []
        q = []
        for i in range(k):
            q.append(rows[-1])
            tokens.append(source.draft(i, q[-1]))
            rows = self.network.extend(tokens[-1:], [i - 1])[0]
        self.network.keep([])
        return Proposal(
            tokens, [*range(-1, k - 1)], np.array(q).reshape(k, PLAIN.vocab)
        )

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        assert hidden.shape == (len(rows), PLAIN.hidden)


def text(named: str, sampling: Sampling, k: int, draft_seed: int = 0) -> list[int]:
    def luck(number: int, position: int) -> Source:
        return Shifted(keyed(5), position)

    steps = decode(
        sampled(sampling),
        Chain(sampled(sampling, draft_seed)),
        RULES[named].verify,
        TEXT[:PROMPT],
        k=k,
        luck=luck,
        max_tokens=24,
    )
    return [token for step in steps for token in step.emitted]


@pytest.mark.parametrize(
    ("named", "sampling"),
    [
        ("greedy", Sampling(temperature=0)),
        ("sampler_match", PENALISED),
        ("sampler_match", Sampling()),
    ],
)
def test_the_text_is_that_of_the_target_alone(named: str, sampling: Sampling) -> None:
    network, alone = model(), list(TEXT[:PROMPT])
    for i in range(24):
        network.clear()
        logits = network.extend(alone, range(-1, len(alone) - 1))[0][-1]
        row = process(logits, sampling, alone, PROMPT)
        alone.append(Shifted(keyed(5), PROMPT + i).sample(0, row))
    for k, draft_seed in ((0, 0), (1, 0), (4, 0), (4, 1)):
        assert text(named, sampling, k, draft_seed) == alone[PROMPT:]


def test_a_draft_that_is_the_target_has_everything_accepted() -> None:
    steps = decode(
        sampled(PENALISED),
        Chain(sampled(PENALISED)),
        RULES["chain"].verify,
        TEXT,
        k=4,
        luck=lambda number, position: keyed(1, step=number),
        max_tokens=20,
    )
    assert [step.accepted for step in steps] == [4, 4, 4, 4]


def test_rows_are_those_of_the_tree_after_the_text() -> None:
    ours = told(sampled(PENALISED), TEXT).extend(*TREE)[0]
    logits = told(model(), TEXT).extend(*TREE)[0]
    np.testing.assert_array_equal(ours, rows(logits, *TREE, PENALISED, TEXT, PROMPT))


def test_penalties_know_what_was_kept_of_the_tree() -> None:
    network = told(sampled(PENALISED), TEXT)
    network.extend(*TREE)
    network.keep(path(5))
    fresh = told(sampled(PENALISED), [*TEXT, 7, 2, 0])
    np.testing.assert_allclose(network.extend(*TREE)[0], fresh.extend(*TREE)[0])


def test_a_tree_that_grows_has_the_rows_of_the_whole() -> None:
    whole = told(sampled(PENALISED), TEXT).extend(*TREE)[0]
    network = told(sampled(PENALISED), TEXT)
    first = network.extend(TREE[0][:4], TREE[1][:4])[0]
    rest = network.extend(TREE[0][4:], TREE[1][4:])[0]
    np.testing.assert_allclose(np.vstack([first, rest[1:]]), whole)


def test_the_prompt_is_not_generated_text() -> None:
    """Presence tells them apart at the last token of the prompt, and after."""
    network = Sampled(model(), Sampling(presence=5.0), len(TEXT))
    told(network, TEXT[:-1])
    now = network.extend([TEXT[-1], 7], [-1, 0])[0]
    logits = told(model(), TEXT[:-1]).extend([TEXT[-1], 7], [-1, 0])[0]
    np.testing.assert_allclose(now[1], process(logits[1], Sampling()))
    np.testing.assert_allclose(now[2], process(logits[2], Sampling(presence=5.0), [7]))
