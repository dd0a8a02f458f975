"""The probe pair as on Hugging Face: config.json, safetensors, a tokenizer of words."""

import json
from pathlib import Path
from typing import Any

from specsim import weights
from specsim.oracle.probe.pair import BEGIN, CONTEXT, END, UNKNOWN, WORDS
from specsim.pretrained import Pretrained

SPECIAL = {"unk_token": UNKNOWN, "bos_token": BEGIN, "eos_token": END}


def write(model: Pretrained, folder: Path) -> None:
    """One model of the pair into a folder that exists."""
    describe(model, folder)
    weights.save(folder / "model.safetensors", model.arrays, {"format": "pt"})


def describe(model: Pretrained, folder: Path) -> None:
    """Everything but the weights."""
    written = {
        "config.json": _config(model.config),
        "generation_config.json": {"bos_token_id": BEGIN, "eos_token_id": END},
        "tokenizer.json": _tokenizer(),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": CONTEXT,
            "pad_token": WORDS[UNKNOWN],
            **{name: WORDS[token] for name, token in SPECIAL.items()},
        },
    }
    for name, content in written.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def _config(shape: Any) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": shape.vocab,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "hidden_act": "silu",
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": shape.eps,
        "rope_theta": shape.theta,
        "rope_scaling": None,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": shape.tied,
        "bos_token_id": BEGIN,
        "eos_token_id": END,
        "pad_token_id": UNKNOWN,
        "torch_dtype": "float32",
    }


def _tokenizer() -> dict[str, Any]:
    """Words with spaces between them."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": token, "content": WORDS[token], "special": True, **plain}
        for token in SPECIAL.values()
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: token for token, word in enumerate(WORDS)},
            "unk_token": WORDS[UNKNOWN],
        },
    }
