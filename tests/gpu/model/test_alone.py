"""One request in lists and arrays: the same network as the reference's."""

from typing import Any

import numpy as np
import pytest

import specsim
from reference.model import eagle, transformer
from specsim import seam
from specsim.generation.models import builder
from specsim.oracle.loops import cast
from tests.gpu.cases import torch
from tests.reference.model.small import PLAIN, TEXT, TREE, model, random_weights

pytestmark = pytest.mark.torch
alone = seam.gpu("model.alone")


def built(dtype: Any = torch.float64) -> Any:
    weights = random_weights(transformer.shapes(PLAIN))
    return alone.alone(PLAIN, weights, dtype, "cpu")


def same(ours: Any, theirs: Any) -> None:
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_trees_are_scored_kept_and_forgotten_as_by_the_reference() -> None:
    ours, theirs = built(), model()
    for network in (ours, theirs):
        network.extend([], [])
        network.keep([])
        network.extend(TEXT, range(-1, len(TEXT) - 1))
        network.keep(range(len(TEXT)))
    same(ours.extend(*TREE), theirs.extend(*TREE))
    for network in (ours, theirs):
        network.keep([1, 4])
    same(ours.extend([], []), theirs.extend([], []))
    same(ours.extend([5], [-1]), theirs.extend([5], [-1]))
    for network in (ours, theirs):
        network.clear()
    same(ours.extend([5, 6], [-1, 0]), theirs.extend([5, 6], [-1, 0]))


def test_a_text_may_be_longer_than_there_is_room_for_at_first() -> None:
    ours, theirs = built(), model()
    text = [n % 61 for n in range(700)]
    for network in (ours, theirs):
        network.extend(text[:400], range(-1, 399))
        network.keep(range(400))
        network.extend(text[400:], range(-1, 299))
        network.keep(range(300))
    same(ours.extend(*TREE), theirs.extend(*TREE))


def test_a_draft_on_features_goes_between_its_ends() -> None:
    weights = random_weights(eagle.shapes(PLAIN), 1)
    tokens, features = [3, 4], np.ones((2, PLAIN.hidden))
    made = [
        eagle.eagle(weights, target).extend(tokens, [-1, 0], features)
        for target in (built(), model())
    ]
    same(*made)


def test_another_text_has_a_memory_of_its_own() -> None:
    for one in (built(), model()):
        one.extend(TEXT, range(-1, len(TEXT) - 1))
        one.keep(range(len(TEXT)))
        other = one.fresh()
        other.extend([9, 9], [-1, 0])
        other.keep([0, 1])
        whole = model()
        whole.extend(TEXT, range(-1, len(TEXT) - 1))
        whole.keep(range(len(TEXT)))
        same(one.extend([5], [-1]), whole.extend([5], [-1]))
        whole.clear()
        same(other.extend([4], [-1])[0][1:], whole.extend([9, 9, 4], [-1, 0, 1])[0][3:])


def test_half_precision_is_answered_in_single() -> None:
    logits, hidden = built(torch.bfloat16).extend([1], [-1])
    assert logits.dtype == hidden.dtype == np.float32


def test_a_token_outside_the_vocabulary_is_refused() -> None:
    for call in (built().embed, lambda tokens: built().extend(tokens, [-1])):
        with pytest.raises(ValueError, match=r"token 61 is not in \[0, 61\)"):
            call([61])


def test_texts_are_those_of_numpy() -> None:
    """At temperature 0 whatever draws near: single against double precision."""
    small = cast.models()
    build = builder("torch")
    target = build(cast.CONFIG, cast.weights())
    torch_models = small.__class__(**{**vars(small), "target": target})
    for drafter in ("draft-model", "eagle2", "suffix"):
        texts = [
            specsim.generate(
                cast.PROMPT,
                target=each,
                drafter=drafter,
                temperature=0.0,
                max_new_tokens=20,
            ).tokens
            for each in (small, torch_models)
        ]
        assert texts[0] == texts[1]
