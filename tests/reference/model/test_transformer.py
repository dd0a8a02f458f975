"""The tree is what its paths are, the cache changes nothing, transformers agrees."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.model import transformer
from reference.model.config import Config
from reference.model.rotary import frequencies
from reference.model.transformer import Transformer
from tests.reference.model.small import (
    CONFIGS,
    PLAIN,
    TEXT,
    TREE,
    model,
    path,
    random_weights,
    told,
)

HF_CLASSES = {"qwen2": "Qwen2", "qwen3": "Qwen3"}


@pytest.fixture(params=CONFIGS)
def config(request: pytest.FixtureRequest) -> Config:
    return CONFIGS[request.param]


def close(a: Any, b: Any, within: float = 1e-9) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=within)


def hugging_face(config: Config, weights: dict[str, Any]) -> Any:
    """The same model in transformers."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    kind = "qwen2" if config.qkv_bias else "qwen3" if config.qk_norm else "llama"
    name = HF_CLASSES.get(kind, "Llama")
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": config.theta}
    if (how := config.scaling) is not None:
        rope |= {"rope_type": "llama3", "factor": how.factor}
        rope |= {"low_freq_factor": how.low, "high_freq_factor": how.high}
        rope |= {"original_max_position_embeddings": how.original}
    shape = getattr(transformers, f"{name}Config")(
        vocab_size=config.vocab,
        hidden_size=config.hidden,
        intermediate_size=config.intermediate,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.kv_heads,
        head_dim=config.head_dim,
        rms_norm_eps=config.eps,
        rope_parameters=rope,
        tie_word_embeddings=config.tied,
        max_position_embeddings=128,
        attn_implementation="eager",
    )
    made = getattr(transformers, f"{name}ForCausalLM")(shape).eval()
    state = {key: torch.tensor(value) for key, value in weights.items()}
    missing, unexpected = made.load_state_dict(state, strict=False)
    assert not unexpected
    assert missing == (["lm_head.weight"] if config.tied else [])
    return made


@pytest.mark.torch
@pytest.mark.engine
def test_transformers_gives_the_same_logits_and_hidden_states(config: Config) -> None:
    torch = pytest.importorskip("torch")
    weights = random_weights(transformer.shapes(config), 1, np.float32)
    ours = Transformer(config, weights)
    text = [*TEXT, *range(60)]
    logits, hidden = ours.extend(text, range(-1, len(text) - 1))
    with torch.no_grad():
        theirs = hugging_face(config, weights)
        out = theirs(torch.tensor([text]), output_hidden_states=True)
    assert logits.dtype == hidden.dtype == np.float32
    assert out.logits.abs().max() > 1
    close(logits[1:], out.logits[0].numpy(), 1e-4)
    close(hidden[1:], out.hidden_states[-1][0].numpy(), 1e-4)


def test_a_tree_is_scored_as_each_of_its_paths_alone(config: Config) -> None:
    tree = told(model(config), TEXT).extend(*TREE)
    for node in range(-1, len(TREE[0])):
        alone = [*TEXT, *(TREE[0][i] for i in path(node))]
        for of_tree, of_path in zip(
            tree, model(config).extend(alone, range(-1, len(alone) - 1)), strict=True
        ):
            close(of_tree[node + 1], of_path[-1])


def test_kept_or_not_the_text_before_is_the_same(config: Config) -> None:
    whole = model(config).extend(TEXT, range(-1, len(TEXT) - 1))
    network = model(config)
    for i, token in enumerate(TEXT):
        rows = network.extend([token], [-1])
        for now, all_at_once in zip(rows, whole, strict=True):
            close(now, all_at_once[i : i + 2])
        network.keep([0])


def test_keeping_a_path_is_having_been_told_it_alone() -> None:
    network = told(model(), TEXT)
    network.extend(*TREE)
    network.keep([0, 3, 5])
    fresh = told(model(), [*TEXT, 7, 2, 0])
    for ours, theirs in zip(network.extend(*TREE), fresh.extend(*TREE), strict=True):
        close(ours, theirs)


def test_keeping_nothing_forgets_the_tree() -> None:
    network = told(model(), TEXT)
    before = network.extend(*TREE)
    network.keep([])
    for ours, theirs in zip(network.extend(*TREE), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(cut=st.integers(0, len(TREE[0])))
def test_a_tree_may_grow_in_several_passes(cut: int) -> None:
    whole = told(model(), TEXT).extend(*TREE)
    network = told(model(), TEXT)
    tokens, parents = TREE
    first = network.extend(tokens[:cut], parents[:cut])
    rest = network.extend(tokens[cut:], parents[cut:])
    for a, b, both in zip(first, rest, whole, strict=True):
        close(np.vstack([a, b[1:]]), both)
        close(b[0], both[0])
    network.keep([0, 3, 5])
    expected = told(model(), [*TEXT, 7, 2, 0]).extend([4], [-1])
    close(network.extend([4], [-1])[0], expected[0])


def test_the_text_may_be_longer_than_the_cache_is_at_first() -> None:
    text = [i * i % PLAIN.vocab for i in range(600)]
    whole = model().extend(text, range(-1, 599))[0]
    network = told(model(), text[:250])
    network.extend(text[250:599], range(-1, 348))
    network.keep(range(349))
    close(network.extend([text[-1]], [-1])[0], whole[-2:])


def test_with_nothing_kept_every_token_is_as_likely() -> None:
    logits, hidden = model().extend([], [])
    assert logits.shape == (1, PLAIN.vocab)
    assert hidden.shape == (1, PLAIN.hidden)
    assert not logits.any()


def test_a_cleared_model_is_a_new_one() -> None:
    network = told(model(), TEXT)
    network.extend(*TREE)
    network.clear()
    np.testing.assert_array_equal(network.extend(*TREE)[0], model().extend(*TREE)[0])


def test_the_head_reads_the_hidden_states() -> None:
    network = told(model(), TEXT)
    logits, hidden = network.extend(*TREE)
    close(network.logits(hidden), logits)


def test_single_precision_stays_single_and_near() -> None:
    single, double = (
        told(model(PLAIN, 0, dtype), TEXT).extend(*TREE)
        for dtype in (np.float32, np.float64)
    )
    for a, b in zip(single, double, strict=True):
        assert a.dtype == np.float32
        close(a, b, 1e-4)


def test_long_waves_are_stretched_short_ones_left() -> None:
    config = replace(CONFIGS["llama3"], head_dim=64)
    plain, stretched = frequencies(replace(config, scaling=None)), frequencies(config)
    waves = 2 * math.pi / plain
    np.testing.assert_array_equal(stretched[waves < 4], plain[waves < 4])
    close(stretched[waves > 16] * 8, plain[waves > 16])
    between = (plain / stretched)[(waves > 4) & (waves < 16)]
    assert (np.diff(between) > 0).all()
    assert 1 < between.min() < between.max() < 8


@pytest.mark.parametrize("token", [-1, PLAIN.vocab])
def test_a_token_outside_the_vocabulary_is_refused(token: int) -> None:
    with pytest.raises(ValueError, match=rf"token {token} is not in \[0, 61\)"):
        model().extend([token], [-1])


@pytest.mark.parametrize("parent", [-2, 1, 5])
def test_a_parent_must_come_before_its_children(parent: int) -> None:
    with pytest.raises(ValueError, match=f"the parent of node 1 is {parent}"):
        model().extend([1, 2], [-1, parent])


def test_tokens_and_parents_go_together() -> None:
    with pytest.raises(ValueError, match="2 tokens and 1 parents"):
        model().extend([1, 2], [-1])


@pytest.mark.parametrize("nodes", [[1, 3], [3, 5], [0, 3, 5, 6], [-1], [0, 0]])
def test_what_is_kept_must_be_a_path(nodes: list[int]) -> None:
    network = model()
    network.extend(*TREE)
    with pytest.raises(ValueError, match="no path"):
        network.keep(nodes)
