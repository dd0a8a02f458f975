"""Drafts of few words: what they say of those, and nothing of the others."""

from typing import Any

import numpy as np
import pytest

from reference.logits import Sampling, process, softmax
from reference.model import eagle, medusa
from reference.model.reduced import Vocabulary
from reference.model.sampled import SampledFeatures
from tests.reference.model.small import PLAIN, TEXT, model, random_weights

FEW = Vocabulary([0, 3, 7, 9, 26, 60], PLAIN.vocab)
WHOLE = Vocabulary(range(PLAIN.vocab), PLAIN.vocab)
OTHERS = np.delete(np.arange(PLAIN.vocab), FEW.ids)


def draft(vocabulary: Vocabulary | None = FEW) -> Any:
    return eagle.eagle(random_weights(eagle.shapes(PLAIN), 3), model(), vocabulary)


def fed(network: Any) -> Any:
    """What it makes of the text from its second token on."""
    hidden = model().extend(TEXT, range(-1, len(TEXT) - 1))[1]
    return network.extend(TEXT[1:], range(-1, len(TEXT) - 2), hidden[1:-1])


def rows(sampling: Sampling, vocabulary: Vocabulary | None = FEW) -> Any:
    return fed(SampledFeatures(draft(vocabulary), sampling, 2))[0]


def test_logits_are_those_of_the_whole_head_at_the_words() -> None:
    few, features = fed(draft())
    whole, same = fed(draft(None))
    np.testing.assert_array_equal(features, same)
    np.testing.assert_allclose(few, whole[:, FEW.ids], rtol=1e-12)


def test_rows_are_of_the_words_alone() -> None:
    sampling = Sampling(temperature=0.7, top_k=4, top_p=0.9)
    logits = fed(draft(None))[0]
    found = rows(sampling)
    assert found.shape == (len(TEXT) - 1, PLAIN.vocab)
    assert not found[:, OTHERS].any()
    for row, whole in zip(found, logits, strict=True):
        np.testing.assert_allclose(row[FEW.ids], process(whole[FEW.ids], sampling))


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(repetition=1.4, presence=0.5, frequency=0.3),
        Sampling(logit_bias={3: 2.0, 4: 9.0}),
        Sampling(allowed=lambda text: np.arange(PLAIN.vocab) % 3 == 0),
    ],
)
def test_what_names_words_names_them_by_the_targets_numbers(sampling: Any) -> None:
    wide = np.full((len(TEXT) - 1, PLAIN.vocab), -np.inf)
    wide[:, FEW.ids] = fed(draft())[0]
    for n, (row, logits) in enumerate(zip(rows(sampling), wide, strict=True), 1):
        text = TEXT[1 : n + 1]
        np.testing.assert_allclose(row, process(logits, sampling, text, min(2, n)))


def test_a_grammar_without_a_drafted_word_leaves_nothing_to_draft() -> None:
    barred = Sampling(allowed=lambda text: np.isin(np.arange(PLAIN.vocab), OTHERS))
    assert not rows(barred).any()


def test_all_words_are_as_none_named() -> None:
    sampling = Sampling(temperature=0.5, top_p=0.8)
    np.testing.assert_allclose(rows(sampling, WHOLE), rows(sampling, None), atol=1e-12)


def test_heads_of_few_words() -> None:
    weights = random_weights(medusa.shapes(PLAIN, 2, len(FEW.ids)), 3)
    hidden = np.linspace(-1, 1, PLAIN.hidden)
    found = medusa.Medusa(weights, FEW).rows(hidden)
    logits = medusa.Medusa(weights).logits(hidden[None])[:, 0]
    assert found.shape == (2, PLAIN.vocab)
    assert not found[:, OTHERS].any()
    np.testing.assert_allclose(found[:, FEW.ids], softmax(logits))


def test_offsets_are_as_published() -> None:
    assert FEW.offsets.tolist() == [0, 2, 5, 6, 22, 55]
    again = Vocabulary.published(FEW.offsets, PLAIN.vocab)
    assert again.ids.tolist() == FEW.ids.tolist()
    assert FEW.offsets.dtype == np.int64


@pytest.mark.parametrize(
    ("offsets", "words"),
    [
        ([0, 60], "has word 1 at 61, not in [0, 61)"),
        ([-1], "has word 0 at -1, not in"),
        ([2**63 - 1, 2**63 - 1], "has word 0 at"),
        ([3, 2], "has word 1 at 3, not above"),
        ([3, 1], "has word 1 at 2, not above"),
        ([[0]], "int64 (1, 1), not a row"),
        ([], "(0,), not a row"),
        ([0.0], "float64 (1,), not a row"),
    ],
)
def test_what_is_no_vocabulary_is_refused(offsets: Any, words: str) -> None:
    with pytest.raises(ValueError, match=r"has word|not a row") as caught:
        Vocabulary.published(np.array(offsets), PLAIN.vocab)
    assert words in str(caught.value)
