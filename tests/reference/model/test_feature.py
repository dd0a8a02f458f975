"""EAGLE and multi-token prediction: the mixing, the shift, the layer, the cache."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reference.model import eagle, mtp, transformer
from reference.model.feature import FeatureDraft
from reference.model.layers import rms_norm
from reference.model.transformer import Transformer
from tests.reference.model.small import PLAIN, TEXT, model, random_weights
from tests.reference.model.test_transformer import hugging_face

Build = Callable[[Any, Transformer], FeatureDraft]
DRAFTS: dict[str, tuple[dict[str, tuple[int, ...]], Build]] = {
    "eagle": (eagle.shapes(PLAIN), eagle.eagle),
    "mtp": (mtp.shapes(PLAIN), mtp.mtp),
}


@pytest.fixture(params=DRAFTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def build(name: str, dtype: Any = np.float64) -> FeatureDraft:
    shapes, make = DRAFTS[name]
    return make(random_weights(shapes, 3, dtype), model(dtype=dtype))


def pairs(draft: FeatureDraft) -> tuple[list[int], Any]:
    """Tokens of the text from the second on, and the features one place before."""
    hidden = draft.target.extend(TEXT, range(-1, len(TEXT) - 1))[1]
    return TEXT[1:], hidden[1:-1]


def mixed(name: str, weights: Any, embeddings: Any, features: Any) -> Any:
    if name == "eagle":
        both = np.concatenate([embeddings, features], -1)
        return both @ weights["fc.weight"].T + weights["fc.bias"]
    start = "model.layers.2."
    enorm, hnorm = (weights[f"{start}{x}norm.weight"] for x in "eh")
    both = np.concatenate(
        [
            rms_norm(embeddings, enorm, PLAIN.eps),
            rms_norm(features, hnorm, PLAIN.eps),
        ],
        -1,
    )
    return both @ weights[f"{start}eh_proj.weight"].T


@pytest.mark.torch
@pytest.mark.engine
def test_the_layer_is_that_of_transformers(name: str) -> None:
    torch = pytest.importorskip("torch")
    draft = build(name, np.float32)
    weights = random_weights(DRAFTS[name][0], 3, np.float32)
    tokens, features = pairs(draft)
    logits, made = draft.extend(tokens, range(-1, len(tokens) - 1), features)
    theirs = hugging_face(
        PLAIN, random_weights(transformer.shapes(PLAIN), 0, np.float32)
    )
    start = "layers.0." if name == "eagle" else "model.layers.2."
    theirs.model.layers = theirs.model.layers[:1]
    layer = theirs.model.layers[0]
    state = {
        key.removeprefix(start): torch.tensor(value)
        for key, value in weights.items()
        if key.startswith((f"{start}self", f"{start}mlp", f"{start}post", f"{start}in"))
    }
    if name == "eagle":
        layer.input_layernorm = torch.nn.Identity()
    layer.load_state_dict(state)
    theirs.model.norm = torch.nn.Identity()
    read = mixed(name, weights, draft.target.embed(tokens), features)
    with torch.no_grad():
        out = theirs.model(inputs_embeds=torch.tensor(read)[None]).last_hidden_state[0]
        if name == "mtp":
            norm = torch.tensor(weights[f"{start}shared_head.norm.weight"])
            final = torch.nn.functional.rms_norm(out, out.shape[-1:], norm, PLAIN.eps)
        else:
            final = out
        expected = theirs.lm_head(final)
    np.testing.assert_allclose(made, out.numpy(), rtol=0, atol=1e-4)
    np.testing.assert_allclose(logits, expected.numpy(), rtol=0, atol=1e-4)


def test_a_tree_on_own_features_is_scored_as_its_paths(name: str) -> None:
    draft = build(name)
    tokens, features = pairs(draft)
    kept = range(len(tokens))
    made = draft.extend(tokens, range(-1, len(tokens) - 1), features)[1]
    draft.keep(kept)
    two = draft.extend([5, 6], [-1, -1], made[[-1, -1]])[1]
    logits, deeper = draft.extend([9, 9, 4], [0, 1, 1], two[[0, 1, 1]])
    draft.keep([1, 4])
    for node, (parent, token) in enumerate([(5, 9), (6, 9), (6, 4)]):
        alone = build(name)
        first = alone.extend(tokens, range(-1, len(tokens) - 1), features)[1]
        alone.keep(kept)
        second = alone.extend([parent], [-1], first[-1:])[1]
        alone.keep([0])
        third = alone.extend([token], [-1], second)
        np.testing.assert_allclose(logits[node], third[0][0], atol=1e-9)
        np.testing.assert_allclose(deeper[node], third[1][0], atol=1e-9)
    alone.keep([0])
    np.testing.assert_allclose(
        draft.extend([1], [-1], deeper[-1:])[0],
        alone.extend([1], [-1], third[1])[0],
        atol=1e-9,
    )


def test_the_head_is_the_targets(name: str) -> None:
    draft = build(name)
    tokens, features = pairs(draft)
    logits, made = draft.extend(tokens, range(-1, len(tokens) - 1), features)
    np.testing.assert_array_equal(logits, draft.target.logits(draft.finish(made)))
    assert (draft.finish(made) is made) == (name == "eagle")


def test_a_cleared_draft_is_a_new_one(name: str) -> None:
    draft = build(name)
    tokens, features = pairs(draft)
    first = draft.extend(tokens, range(-1, len(tokens) - 1), features)
    draft.keep(range(3))
    draft.clear()
    again = draft.extend(tokens, range(-1, len(tokens) - 1), features)
    np.testing.assert_array_equal(first[0], again[0])


def test_eagle_reads_its_input_as_it_is() -> None:
    assert "layers.0.input_layernorm.weight" not in eagle.shapes(PLAIN)


def test_modules_are_numbered_on_from_the_layers() -> None:
    assert mtp.prefix(PLAIN) == "model.layers.2."
    assert "model.layers.3.eh_proj.weight" in mtp.shapes(PLAIN, 1)
