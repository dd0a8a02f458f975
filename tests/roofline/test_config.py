"""A config.json gives the model of the table, or one line that says what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from specsim.errors import Bad
from specsim.roofline import catalog, names
from specsim.roofline.catalog import Model

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
TYPES = {
    "Llama 1": "llama",
    "Llama 2": "llama",
    "Llama 3.x": "llama",
    "Vicuna": "llama",
    "TinyLlama": "llama",
    "Yi": "llama",
    "CodeLlama": "llama",
    "Mistral": "mistral",
    "Qwen2": "qwen2",
    "Qwen2.5": "qwen2",
    "Qwen3": "qwen3",
    "Granite": "granite",
}
BY_NAME = {
    "gemma-2b": "gemma",
    "gemma-7b": "gemma",
    "gemma-2-2b": "gemma2",
    "gemma-2-9b": "gemma2",
    "gemma-2-27b": "gemma2",
    "gemma-3-1b-it": "gemma3_text",
    "gemma-3-12b-it": "gemma3_text",
    "Phi-3-mini-4k-instruct": "phi3",
    "phi-4": "phi3",
    "Phi-4-mini-instruct": "phi3",
    "SmolLM3-3B": "smollm3",
    "DeepSeek-V2-Lite": "deepseek_v2",
    "DeepSeek-V2": "deepseek_v2",
    "DeepSeek-V3": "deepseek_v3",
    "Kimi-K2-Instruct": "kimi_k2",
    "Qwen3-30B-A3B": "qwen3_moe",
    "Qwen3-235B-A22B": "qwen3_moe",
    "Mixtral-8x7B-v0.1": "mixtral",
    "gpt-oss-120b": "gpt_oss",
}


def kind(model: Model) -> str | None:
    """The model_type of a row, None where config.py does not know it."""
    dense = None if model.moe_experts else TYPES.get(model.family)
    return BY_NAME.get(model.name, dense)


def described(model: Model, model_type: str) -> dict[str, Any]:
    """The config.json that a row of the table amounts to."""
    latent = {
        "kv_lora_rank": model.mla_kv_lora_rank,
        "q_lora_rank": model.mla_q_lora_rank or None,
        "qk_nope_head_dim": model.mla_qk_nope,
        "qk_rope_head_dim": model.mla_qk_rope,
        "v_head_dim": model.mla_v_dim,
    }
    mixture = {
        "num_experts": model.moe_experts,
        "num_experts_per_tok": model.moe_topk,
        "moe_intermediate_size": model.moe_intermediate,
        "n_shared_experts": model.moe_shared,
        "first_k_dense_replace": model.moe_first_dense,
    }
    return {
        **LLAMA,
        "model_type": model_type,
        "hidden_size": model.hidden,
        "intermediate_size": model.intermediate,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "vocab_size": model.vocab,
        "tie_word_embeddings": model.tied_embeddings,
        **(latent if model.mla_kv_lora_rank else {}),
        **(mixture if model.moe_experts else {}),
    }


def written(folder: Path, config: object) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


KNOWN = {m.name: m for m in catalog.models() if kind(m)}


@pytest.mark.parametrize("name", KNOWN)
def test_counts_what_the_table_says(name: str, tmp_path: Path) -> None:
    row = KNOWN[name]
    made = names.model(written(tmp_path / "m", described(row, str(kind(row)))))
    assert made.params_total == row.params_total
    assert made.params_active == pytest.approx(row.params_active, rel=0.01)
    assert made.kv_bytes_per_token_fp16 == row.kv_bytes_per_token_fp16
    assert (made.attention, made.name) == (row.attention, "m")


def test_llama_70b_by_file_and_by_folder(tmp_path: Path) -> None:
    folder = written(tmp_path / "70b", LLAMA)
    for name in (folder, folder + "/config.json"):
        assert names.model(name).params_total == 70_553_706_496


def test_a_name_of_the_table_wins_over_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "70b", {**LLAMA, "num_hidden_layers": 1})
    written(tmp_path / "mine", {**LLAMA, "num_hidden_layers": 2})
    monkeypatch.chdir(tmp_path)
    assert names.model("70b").layers == 80
    assert names.model("./70b").layers == 1
    assert names.model("mine").layers == 2


def test_the_language_part_of_a_multimodal_model(tmp_path: Path) -> None:
    inner = {k: v for k, v in LLAMA.items() if k != "torch_dtype"}
    outer = {"model_type": "llava", "torch_dtype": "float16", "text_config": inner}
    made = names.model(written(tmp_path / "m", outer))
    assert (made.layers, made.native_dtype) == (80, "fp16")


@pytest.mark.parametrize(
    ("more", "pattern"),
    [
        ({"sliding_window": 4096}, "all layers"),
        ({"sliding_window": None}, None),
        ({"sliding_window": 4096, "use_sliding_window": False}, None),
        ({"sliding_window": 4096, "model_type": "qwen2"}, None),
        ({"sliding_window": 4096, "model_type": "gemma2"}, "1 local : 1 full"),
        (
            {"sliding_window": 512, "layer_types": ["full_attention"] * 80},
            "0 of 80 layers",
        ),
        (
            {
                "sliding_window": 512,
                "model_type": "gemma3_text",
                "sliding_window_pattern": 4,
            },
            "3 local : 1 full",
        ),
    ],
)
def test_windows(more: dict[str, Any], pattern: str | None, tmp_path: Path) -> None:
    made = names.model(written(tmp_path / "m", {**LLAMA, **more}))
    assert made.window_pattern == pattern


MOE = {"num_experts": 8, "num_experts_per_tok": 2}
ABSURD: list[tuple[dict[str, Any], str]] = [
    ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
    ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
    ({"num_hidden_layers": -80}, "num_hidden_layers is -80"),
    ({"hidden_size": "8192"}, "hidden_size is '8192'"),
    ({"hidden_size": 8192.0}, "hidden_size is 8192.0"),
    ({"hidden_size": True}, "hidden_size is True"),
    ({"hidden_size": 10**12}, "hidden_size is 1000000000000"),
    ({"hidden_size": float("nan")}, "hidden_size is nan"),
    ({"vocab_size": [1]}, "vocab_size"),
    ({"num_key_value_heads": 7}, "num_key_value_heads 7 does not divide"),
    ({"num_attention_heads": 63, "num_key_value_heads": 9}, "num_attention_heads 63"),
    ({"tie_word_embeddings": "no"}, "tie_word_embeddings"),
    ({"model_type": "mamba"}, "model_type is 'mamba'"),
    ({"model_type": None}, "model_type"),
    ({"architectures": "x"}, "architectures is 'x'"),
    ({"architectures": [1]}, "architectures is [1]"),
    ({"sliding_window": -1}, "sliding_window is -1"),
    ({"sliding_window": 4, "layer_types": ["linear"] * 80}, "layer_types"),
    ({"sliding_window": 4, "layer_types": "all"}, "layer_types"),
    ({"layer_types": ["full_attention"] * 79}, "layer_types must say"),
    ({"layer_types": ["full_attention"] * 80 + ["x"]}, "layer_types must say"),
    ({"layer_types": ["sliding_attention"] * 80}, "sliding_window is missing"),
    (
        {"model_type": "qwen2", "sliding_window": 4, "use_sliding_window": True},
        "layer_types",
    ),
    ({"num_experts": 8}, "num_experts_per_tok is missing"),
    ({**MOE, "num_experts_per_tok": 9}, "num_experts_per_tok 9 exceeds"),
    ({**MOE, "mlp_only_layers": [0]}, "mlp_only_layers"),
    ({**MOE, "first_k_dense_replace": 81}, "first_k_dense_replace 81"),
    ({"kv_lora_rank": 512}, "q_lora_rank is missing"),
]


@pytest.mark.parametrize(("more", "named"), ABSURD)
def test_absurd_fields_are_named(
    more: dict[str, Any], named: str, tmp_path: Path
) -> None:
    folder = written(tmp_path / "m", {**LLAMA, **more})
    with pytest.raises(Bad) as caught:
        names.model(folder)
    assert named in str(caught.value)
    assert str(caught.value).startswith(f"{folder}/config.json: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"\xff\xfe", b"3", b"[" * 100_000, b" " * 1_000_001]
)
def test_files_that_are_no_config(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    with pytest.raises(Bad, match=r"config.json"):
        names.model(str(file))


@pytest.mark.parametrize("name", ["./nowhere", "a/b/config.json", "/" * 9])
def test_paths_that_are_no_file(name: str) -> None:
    with pytest.raises(Bad, match="no such file"):
        names.model(name)


def test_what_is_there_but_no_file(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    for name in ("/dev/null", str(tmp_path)):
        with pytest.raises(Bad, match=r"not a file; give a config.json"):
            names.model(name)


def test_a_folder_without_one(tmp_path: Path) -> None:
    with pytest.raises(Bad, match=r"no such file; give a config.json or its folder"):
        names.model(str(tmp_path))
