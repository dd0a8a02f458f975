"""A model comes whole from a folder or a file, or is refused in one line."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference.model import transformer
from reference.model.config import Config
from specsim.errors import Bad
from specsim.pretrained import Pretrained, load
from specsim.weights import save
from tests.reference.model.small import CONFIGS, PLAIN, random_weights

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
FAMILY = {"qwen2": "qwen2", "qwen3": "qwen3"}


def described(config: Config, family: str = "llama", **changes: Any) -> dict[str, Any]:
    """The config.json of a model, as transformers 4 writes it."""
    return {
        "model_type": family,
        "hidden_size": config.hidden,
        "intermediate_size": config.intermediate,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "vocab_size": config.vocab,
        "rms_norm_eps": config.eps,
        "rope_theta": config.theta,
        "rope_scaling": LLAMA3 if config.scaling else None,
        "tie_word_embeddings": config.tied,
        "hidden_act": "silu",
        "torch_dtype": "bfloat16",
        **changes,
    }


def folder(
    path: Path, config: Config = PLAIN, extra: Any = (), **described_as: Any
) -> Path:
    fields_of = described(config, **described_as)
    (path / "config.json").write_text(json.dumps(fields_of))
    weights = random_weights(transformer.shapes(config)) | dict(extra)
    save(path / "model.safetensors", weights, {})
    return path


def same(loaded: Pretrained, config: Config) -> None:
    for field in fields(Config):
        assert getattr(loaded.config, field.name) == getattr(config, field.name)
    expected = random_weights(transformer.shapes(config))
    assert loaded.arrays.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(loaded.arrays[name], array)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_folder_is_read(tmp_path: Path, name: str) -> None:
    config = CONFIGS[name]
    same(load(folder(tmp_path, config, family=FAMILY.get(name, "llama"))), config)


def test_rope_parameters_of_transformers_5_are_read(tmp_path: Path) -> None:
    config = replace(CONFIGS["llama3"], theta=500_000.0)
    table = {**LLAMA3, "rope_theta": config.theta}
    new = folder(
        tmp_path, config, rope_theta=None, rope_scaling=None, rope_parameters=table
    )
    same(load(new), config)


def test_a_single_file_carries_its_config(tmp_path: Path) -> None:
    path = tmp_path / "tiny.safetensors"
    weights = random_weights(transformer.shapes(PLAIN))
    save(path, weights, {"config": json.dumps(described(PLAIN))})
    same(load(path), PLAIN)


@pytest.mark.parametrize("text", [None, "{", "[]", "[" * 9999])
def test_a_single_file_without_a_config_is_refused(
    tmp_path: Path, text: str | None
) -> None:
    path = tmp_path / "tiny.safetensors"
    save(path, {"a": np.ones(2)}, {} if text is None else {"config": text})
    with pytest.raises(Bad, match=r'no config\.json under "config"'):
        load(path)


def test_what_is_known_to_be_spare_is_left_out(tmp_path: Path) -> None:
    old = {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(4)}
    same(load(folder(tmp_path, PLAIN, old)), PLAIN)
    tied = CONFIGS["tied"]
    head = {"lm_head.weight": np.ones((tied.vocab, tied.hidden))}
    same(load(folder(tmp_path, tied, head)), tied)


def test_weights_that_nothing_reads_are_refused(tmp_path: Path) -> None:
    name = "model.layers.0.self_attn.q_proj.bias"
    extra = {name: np.ones(PLAIN.heads * PLAIN.head_dim)}
    with pytest.raises(Bad, match="is not understood"):
        load(folder(tmp_path, PLAIN, extra))


def test_the_head_must_be_there_unless_it_is_tied(tmp_path: Path) -> None:
    with pytest.raises(Bad, match=r"'lm_head\.weight' is missing"):
        load(folder(tmp_path, CONFIGS["tied"], tie_word_embeddings=False))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "model_type is 'gpt2'; understood are llama"),
        ({"model_type": ["llama"]}, "model_type is"),
        ({"vocab_size": None}, "vocab_size is missing"),
        ({"hidden_size": 24.0}, "hidden_size is 24.0"),
        ({"vocab_size": 10**12}, "vocab_size is 1000000000000"),
        ({"num_key_value_heads": 4}, "must divide"),
        ({"head_dim": 7}, "head_dim of 7"),
        ({"head_dim": 16}, r"is \(48, 24\), not \(96, 24\)"),
        ({"rms_norm_eps": "1e-5"}, "rms_norm_eps is '1e-5'"),
        ({"rms_norm_eps": 0}, "rms_norm_eps is 0"),
        ({"rope_theta": True}, "rope_theta is True"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu'"),
        ({"attention_bias": True}, "attention_bias is true"),
        ({"mlp_bias": True}, "mlp_bias is true"),
        ({"quantization_config": {}}, "quantised"),
        ({"model_type": "mistral", "sliding_window": 4096}, "sliding window"),
        ({"use_sliding_window": True, "sliding_window": 9}, "sliding window"),
        ({"layer_types": ["sliding_attention"] * 2}, "sliding_attention"),
        ({"rope_scaling": "yarn"}, "rope_scaling is 'yarn'"),
        ({"rope_scaling": {"type": "yarn"}}, "rope_type is 'yarn'"),
        ({"rope_scaling": {**LLAMA3, "factor": None}}, "factor is None"),
        ({"rope_scaling": {**LLAMA3, "low_freq_factor": 4}}, "less than"),
        ({"num_hidden_layers": 3}, r"'model\.layers\.2.*missing"),
        ({"num_hidden_layers": 1}, r"'model\.layers\.1.*not understood"),
        ({"vocab_size": 62}, r"is \(61, 24\), not \(62, 24\)"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    folder(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({**described(PLAIN), **changes}))
    with pytest.raises(Bad, match=words) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path.name) in str(caught.value)


def test_a_folder_without_a_config_is_refused(tmp_path: Path) -> None:
    save(folder(tmp_path) / "model.safetensors", {"a": np.ones(2)}, {})
    (tmp_path / "config.json").unlink()
    with pytest.raises(Bad, match=r"no such file; give a config\.json"):
        load(tmp_path)


def test_a_windowless_mistral_is_a_llama(tmp_path: Path) -> None:
    same(load(folder(tmp_path, PLAIN, family="mistral", sliding_window=None)), PLAIN)
