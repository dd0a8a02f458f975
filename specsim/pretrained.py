"""A model of the Llama family: its shape and its weights, from a folder or one file.

A folder is laid out as on Hugging Face: config.json beside model*.safetensors. In a
single file the text of that config.json stands in the header, under "config".
"""

import json
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from specsim import seam, weights
from specsim.errors import Bad
from specsim.roofline.fields import Fields, short, short_path
from specsim.roofline.fields import read as read_fields

FAMILIES = "llama", "mistral", "qwen2", "qwen3"
HEAD = "lm_head.weight"


class Pretrained(NamedTuple):
    """A config (reference/model/config) and the arrays it calls for, by name."""

    config: Any
    arrays: dict[str, weights.Array]


def load(path: str | Path) -> Pretrained:
    """The model in a folder or a file; Bad, in one line, if it is not whole."""
    path = Path(path).expanduser()
    stored = weights.read(path)
    given = read_fields(str(path)) if path.is_dir() else _header(path, stored.metadata)
    shape = config(given)
    needed = seam.reference("model.transformer").shapes(shape)
    spare = {name for name in stored.arrays if name.endswith("rotary_emb.inv_freq")}
    if shape.tied:
        spare.add(HEAD)
    arrays = weights.check(stored.arrays, needed, short_path(path), frozenset(spare))
    return Pretrained(shape, arrays)


def config(given: Fields) -> Any:
    """The shape that the fields of a config.json describe.

    Bad if one is missing or absurd, or asks for what the model does not do.
    """
    family = given.get("model_type")
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise given.bad(f"model_type is {short(family)}; understood are {known}")
    _refuse_variants(given)
    heads, hidden = given.whole("num_attention_heads"), given.whole("hidden_size")
    kv_heads = given.whole("num_key_value_heads", default=heads)
    if heads % kv_heads:
        raise given.bad("num_key_value_heads must divide num_attention_heads")
    width = given.whole("head_dim", default=_head_dim(family, hidden, heads))
    if width % 2:
        raise given.bad(f"a head_dim of {width} has no halves to rotate")
    theta, scaling = _rope(given)
    return seam.reference("model.config").Config(
        vocab=given.whole("vocab_size"),
        hidden=hidden,
        intermediate=given.whole("intermediate_size"),
        layers=given.whole("num_hidden_layers"),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=width,
        eps=_positive(given, "rms_norm_eps", 1e-6),
        theta=theta,
        scaling=scaling,
        tied=given.truth("tie_word_embeddings", False),
        qkv_bias=family == "qwen2",
        qk_norm=family == "qwen3",
    )


def _header(path: Path, metadata: dict[str, str]) -> Fields:
    """The config in the header of a single file."""
    try:
        described = json.loads(metadata.get("config", "null"))
    except (ValueError, RecursionError):
        described = None
    if not isinstance(described, dict):
        where = short_path(path)
        raise Bad(
            f'{where}: no config.json under "config" in the header; give a folder'
        )
    return Fields(path, described)


def _head_dim(family: str, hidden: int, heads: int) -> int:
    return 128 if family == "qwen3" else hidden // heads


def _refuse_variants(given: Fields) -> None:
    """Bad where the family has a variant that is not modelled."""
    if (act := given.get("hidden_act")) not in (None, "silu"):
        raise given.bad(f"hidden_act is {short(act)}; understood is silu")
    if given.get("quantization_config") is not None:
        raise given.bad("quantised weights are not understood; give the original ones")
    for switch in ("mlp_bias", "attention_bias"):
        if given.truth(switch, False):
            raise given.bad(f"{switch} is true, which is not understood")
    windowed = given.truth("use_sliding_window", given.get("model_type") == "mistral")
    if windowed and given.get("sliding_window") is not None:
        raise given.bad("a sliding window is not understood; only full attention is")
    if "sliding_attention" in (given.words("layer_types") or []):
        raise given.bad("sliding_attention is not understood; only full_attention is")


def _rope(given: Fields) -> tuple[float, Any]:
    """The base of the rotary wavelengths, and how they are stretched, if they are."""
    table = given.get("rope_parameters") or given.get("rope_scaling") or {}
    if not isinstance(table, dict):
        raise given.bad(f"rope_scaling is {short(table)}; it must be an object")
    rope = Fields(given.file, {"rope_theta": given.get("rope_theta"), **table})
    theta = _positive(rope, "rope_theta", 10_000.0)
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind == "default":
        return theta, None
    if kind != "llama3":
        raise given.bad(
            f"rope_type is {short(kind)}; understood are default and llama3"
        )
    names = "factor", "low_freq_factor", "high_freq_factor"
    factor, low, high = (_positive(rope, name) for name in names)
    if low >= high:
        raise given.bad("low_freq_factor must be less than high_freq_factor")
    original = rope.whole("original_max_position_embeddings")
    return theta, seam.reference("model.config").Llama3(factor, low, high, original)


def _positive(given: Fields, key: str, default: float | None = None) -> float:
    value = given.get(key)
    if value is None and default is not None:
        return default
    if type(value) not in (int, float) or not 0 < value < inf:
        raise given.bad(f"{key} is {short(value)}; it must be a number above 0")
    return float(value)
