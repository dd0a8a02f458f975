"""The probe pair as GGUF, the one-file format of llama.cpp: header, tensors, padding.

Version 3, little endian: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
llama.cpp turns neighbouring coordinates of a head together, Hugging Face those half a
head apart: rows of the query and key matrices are put in the other order.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.probe.pair import BEGIN, CONTEXT, END, UNKNOWN, WORDS
from specsim.pretrained import Pretrained

Array = NDArray[Any]

MAGIC, VERSION, ALIGNMENT, F32 = b"GGUF", 3, 32, 0
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN_PIECE, CONTROL = 1, 2, 3
"""Kinds of pieces of a SentencePiece vocabulary."""
OUTER = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
INNER = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Names on Hugging Face, and what llama.cpp calls the same."""


def write(model: Pretrained, file: Path) -> None:
    """One model of the pair into a file."""
    tensors, fields = _tensors(model), _fields(model.config)
    header = struct.pack("<4sIQQ", MAGIC, VERSION, len(tensors), len(fields))
    for key, value in fields.items():
        kind, content = _value(value)
        header += _text(key) + struct.pack("<I", kind) + content
    start = 0
    for name, array in tensors.items():
        header += _text(name) + struct.pack("<I", array.ndim)
        header += struct.pack(f"<{array.ndim}Q", *array.shape[::-1])
        header += struct.pack("<IQ", F32, start)
        start += len(_padded(array.tobytes()))
    data = b"".join(_padded(array.tobytes()) for array in tensors.values())
    file.write_bytes(_padded(header) + data)


def _tensors(model: Pretrained) -> dict[str, Array]:
    heads = {"self_attn.q_proj": model.config.heads}
    heads["self_attn.k_proj"] = model.config.kv_heads
    made = {theirs: model.arrays[ours] for ours, theirs in OUTER.items()}
    for layer in range(model.config.layers):
        for ours, theirs in INNER.items():
            array = model.arrays[f"model.layers.{layer}.{ours}.weight"]
            if ours in heads:
                array = neighbours(array, heads[ours])
            made[f"blk.{layer}.{theirs}.weight"] = array
    return {name: np.ascontiguousarray(array, "<f4") for name, array in made.items()}


def neighbours(matrix: Array, heads: int) -> Array:
    """The rows (heads * width, D) with the two coordinates of each plane side by side.

    >>> neighbours(np.arange(4)[:, None], 1)[:, 0].tolist()
    [0, 2, 1, 3]
    """
    halves = matrix.reshape(heads, 2, -1, matrix.shape[1])
    return halves.swapaxes(1, 2).reshape(matrix.shape)


def _fields(shape: Any) -> dict[str, Any]:
    """What stands in the header, by key."""
    llama = {
        "vocab_size": shape.vocab,
        "context_length": CONTEXT,
        "embedding_length": shape.hidden,
        "block_count": shape.layers,
        "feed_forward_length": shape.intermediate,
        "rope.dimension_count": shape.head_dim,
        "rope.freq_base": float(shape.theta),
        "attention.head_count": shape.heads,
        "attention.head_count_kv": shape.kv_heads,
        "attention.key_length": shape.head_dim,
        "attention.value_length": shape.head_dim,
        "attention.layer_norm_rms_epsilon": float(shape.eps),
    }
    general = {"architecture": "llama", "name": "specsim probe", "file_type": F32}
    return {
        **{f"general.{key}": value for key, value in general.items()},
        **{f"llama.{key}": value for key, value in llama.items()},
        **{f"tokenizer.ggml.{key}": value for key, value in _vocabulary().items()},
    }


def _vocabulary() -> dict[str, Any]:
    """SentencePiece of single letters: nothing is added before or behind a prompt."""
    kinds = [NORMAL] * len(WORDS)
    kinds[UNKNOWN], kinds[BEGIN], kinds[END] = UNKNOWN_PIECE, CONTROL, CONTROL
    return {
        "model": "llama",
        "tokens": [*WORDS],
        "scores": [0.0] * len(WORDS),
        "token_type": kinds,
        "bos_token_id": BEGIN,
        "eos_token_id": END,
        "unknown_token_id": UNKNOWN,
        "padding_token_id": UNKNOWN,
        "add_bos_token": False,
        "add_eos_token": False,
        "add_space_prefix": False,
    }


def _value(value: Any) -> tuple[int, bytes]:
    """The type of a value, and its bytes."""
    if isinstance(value, list):
        kind = INT32 if isinstance(value[0], int) else _value(value[0])[0]
        items = b"".join(_value(item)[1] for item in value)
        return ARRAY, struct.pack("<IQ", kind, len(value)) + items
    if isinstance(value, str):
        return STRING, _text(value)
    if isinstance(value, bool):
        return BOOL, struct.pack("<?", value)
    if isinstance(value, int):
        return UINT32, struct.pack("<I", value)
    return FLOAT32, struct.pack("<f", value)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % ALIGNMENT)
