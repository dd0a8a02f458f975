"""A real network in the decode loop: rows are processed, and speculation is exact."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reference.decode import Step, decode
from reference.draft import medusa as draft_medusa
from reference.draft import mtp as draft_mtp
from reference.draft.draft_model import DraftModel
from reference.draft.eagle import Eagle
from reference.draft.eagle2 import Eagle2
from reference.logits import Sampling, process, rows
from reference.model import eagle, medusa, mtp
from reference.model.layers import Shapes
from reference.model.medusa import Medusa
from reference.model.reduced import Vocabulary
from reference.model.sampled import Sampled, SampledFeatures
from reference.randomness import Shifted, keyed
from specsim.rules import RULES
from tests.reference.model.small import (
    PLAIN,
    TEXT,
    TREE,
    model,
    path,
    random_weights,
    told,
)

PENALISED = Sampling(
    temperature=0.7, top_k=20, top_p=0.9, repetition=1.3, presence=0.5, frequency=0.2
)
PROMPT = 3
FEW = Vocabulary(range(0, PLAIN.vocab, 2), PLAIN.vocab)


def sampled(sampling: Sampling, seed: int = 0) -> Sampled:
    return Sampled(model(seed=seed), sampling, PROMPT)


def on_features(shapes: Shapes, make: Any, sampling: Sampling) -> SampledFeatures:
    """A draft with random weights, on a target that is the one to be drafted for."""
    return SampledFeatures(make(random_weights(shapes, 3), model()), sampling, PROMPT)


def heads() -> Medusa:
    return Medusa(random_weights(medusa.shapes(PLAIN, 2), 3))


def few_heads() -> Medusa:
    return Medusa(random_weights(medusa.shapes(PLAIN, 2, len(FEW.ids)), 3), FEW)


def eagle_of_few(weights: Any, target: Any) -> Any:
    return eagle.eagle(weights, target, FEW)


Drafters = dict[str, Callable[[Sampling], Any]]
CHAINS: Drafters = {
    "the model itself": lambda how: DraftModel(sampled(how)),
    "another model": lambda how: DraftModel(sampled(how, 1)),
    "mtp": lambda how: draft_mtp.Mtp(on_features(mtp.shapes(PLAIN), mtp.mtp, how)),
    "eagle": lambda how: Eagle(
        on_features(eagle.shapes(PLAIN), eagle.eagle, how), (1, 1, 1, 1)
    ),
    "eagle of few words": lambda how: Eagle(
        on_features(eagle.shapes(PLAIN), eagle_of_few, how), (1, 1, 1, 1), "iid"
    ),
}
TREES: Drafters = {
    "a tree of a model": lambda how: DraftModel(
        sampled(how, 1), (2, 2, 1), "without_replacement"
    ),
    "eagle2": lambda how: Eagle2(
        on_features(eagle.shapes(PLAIN), eagle.eagle, Sampling()), 3, 8
    ),
    "medusa": lambda how: draft_medusa.Medusa(
        heads().rows, [(0,), (1,), (0, 0), (0, 1), (1, 0)]
    ),
    "medusa of few words": lambda how: draft_medusa.Medusa(
        few_heads().rows, [(0,), (1,), (0, 0)]
    ),
    "eagle2 of few words": lambda how: Eagle2(
        on_features(eagle.shapes(PLAIN), eagle_of_few, Sampling()), 3, 8
    ),
}


def steps(named: str, sampling: Sampling, drafter: Any, k: int) -> list[Step]:
    """Coins go by position, so that rules that promise it say the same text."""
    return [
        *decode(
            sampled(sampling),
            drafter,
            RULES[named].verify,
            TEXT[:PROMPT],
            k=k,
            luck=lambda number, position: Shifted(keyed(5), position),
            max_tokens=20,
        )
    ]


def alone(sampling: Sampling) -> list[int]:
    """What the target says without a draft and without a cache, by the same coins."""
    network, said = model(), list(TEXT[:PROMPT])
    for position in range(PROMPT, PROMPT + 20):
        network.clear()
        logits = network.extend(said, range(-1, len(said) - 1))[0][-1]
        row = process(logits, sampling, said, PROMPT)
        said.append(Shifted(keyed(5), position).sample(0, row))
    return said[PROMPT:]


@pytest.mark.parametrize(
    ("named", "sampling", "drafters"),
    [
        ("greedy", Sampling(temperature=0), {**CHAINS, **TREES}),
        ("sampler_match", PENALISED, CHAINS),
        ("sampler_match", Sampling(), CHAINS),
    ],
)
def test_whoever_drafts_the_text_is_that_of_the_target_alone(
    named: str, sampling: Sampling, drafters: Drafters
) -> None:
    expected = alone(sampling)
    for make in drafters.values():
        for k in (0, 1, 4):
            made = steps(named, sampling, make(sampling), k)
            assert [token for step in made for token in step.emitted] == expected


def test_a_draft_that_is_the_target_has_everything_accepted() -> None:
    drafter = DraftModel(sampled(PENALISED))
    made = steps("chain", PENALISED, drafter, 4)
    assert [step.accepted for step in made] == [4, 4, 4, 4]


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


def test_rows_on_features_are_those_after_what_was_fed() -> None:
    """The text from its second token on, of which PROMPT are the prompt."""
    shapes, fed = mtp.shapes(PLAIN), TEXT[1:]
    rows_of = on_features(shapes, mtp.mtp, PENALISED)
    logits_of = mtp.mtp(random_weights(shapes, 3), model())
    hidden = model().extend(TEXT, range(-1, len(TEXT) - 1))[1][1:]
    parents = range(-1, len(fed) - 1)
    rows_of.extend(fed, parents, hidden[:-1])
    rows_of.keep(range(len(fed)))
    logits_of.extend(fed, parents, hidden[:-1])
    logits_of.keep(range(len(fed)))
    tokens, parents_of = TREE
    features = hidden[[-1] * len(tokens)]
    ours = rows_of.extend(tokens, parents_of, features)[0]
    for node, logits in enumerate(logits_of.extend(tokens, parents_of, features)[0]):
        text = [*fed, *(tokens[i] for i in path(node))]
        expected = process(logits, PENALISED, text, PROMPT)
        np.testing.assert_allclose(ours[node], expected)
