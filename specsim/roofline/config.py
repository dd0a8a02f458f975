"""A model from its config.json, of the families whose shape the fields settle.

What is missing, absurd or not understood is refused by name: nothing is guessed.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from specsim.roofline import checkpoint, shapes
from specsim.roofline.catalog import Model
from specsim.roofline.fields import Fields, read, short


@dataclass(frozen=True)
class Kind:
    """What a model_type implies beyond the fields of its config.

    norms:    vectors of hidden width in each layer.
    qk_norm:  whether queries and keys have a norm of head width each.
    biases:   columns of q, k, v ("qkv") or those and o ("all") have one by default.
    tied:     whether head and embedding are one unless the config says otherwise.
    head_dim: where the config leaves it out; None: hidden_size / num_attention_heads.
    period:   of the layers one in so many sees everything; None: all, or no, layers.
    windowed: whether a `sliding_window` holds unless `use_sliding_window` is false.
    """

    norms: int = 2
    qk_norm: bool = False
    biases: str = ""
    tied: bool = False
    head_dim: int | None = None
    period: int | None = None
    windowed: bool = True
    router_bias: bool = False


KINDS = {
    "llama": Kind(),
    "mistral": Kind(),
    "mixtral": Kind(),
    "phi3": Kind(),
    "smollm3": Kind(tied=True, windowed=False),
    "granite": Kind(tied=True),
    "qwen2": Kind(biases="qkv", windowed=False),
    "qwen3": Kind(qk_norm=True, head_dim=128, windowed=False),
    "qwen3_moe": Kind(qk_norm=True, windowed=False),
    "gemma": Kind(tied=True, head_dim=256),
    "gemma2": Kind(norms=4, tied=True, head_dim=256, period=2),
    "gemma3_text": Kind(norms=4, qk_norm=True, tied=True, head_dim=256, period=6),
    "deepseek_v2": Kind(),
    "deepseek_v3": Kind(router_bias=True),
    "kimi_k2": Kind(router_bias=True),
    "gpt_oss": Kind(biases="all", head_dim=64, period=2),
}
EXPERTS = "num_local_experts", "n_routed_experts", "num_experts"


def load(path: str) -> Model:
    """The model described by a config.json, or by the one in a directory."""
    return described(read(path))


def described(given: Fields) -> Model:
    """The model of these fields of a config.json."""
    given.words("architectures")
    kind = _kind(given)
    bare = _shape(given, kind)
    total = shapes.counted(bare) + _vectors(given, bare, kind)
    idle = (bare.moe_experts or 0) - (bare.moe_topk or 0)
    unused = shapes.moe_layers(bare) * idle * shapes.expert(bare)
    return replace(
        bare,
        params_total=total,
        params_active=total - round(unused),
        kv_bytes_per_token_fp16=round(shapes.kv_values(bare) * 2 * bare.layers),
    )


def _kind(given: Fields) -> Kind:
    name = given.get("model_type")
    if not isinstance(name, str) or name not in KINDS:
        known = ", ".join(KINDS)
        raise given.bad(f"model_type is {short(name)}; understood are {known}")
    return KINDS[name]


def _shape(given: Fields, kind: Kind) -> Model:
    """Everything but the parameter counts, which are 0."""
    heads, latent = given.whole("num_attention_heads"), _latent(given)
    kv_heads = _kv_heads(given, heads)
    grouping = {1: "MQA", heads: "MHA"}.get(kv_heads, "GQA")
    known: dict[str, Any] = dict.fromkeys(field.name for field in fields(Model))
    known |= {
        "hf_id": _name(given),
        "aliases": (),
        "family": given.get("model_type"),
        "params_total": 0,
        "params_active": 0,
        "layers": given.whole("num_hidden_layers"),
        "hidden": given.whole("hidden_size"),
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": _head_dim(given, kind, latent),
        "intermediate": given.whole("intermediate_size"),
        "mlp_matrices": 3,
        "vocab": given.whole("vocab_size"),
        "tied_embeddings": given.truth("tie_word_embeddings", kind.tied),
        "attention": "MLA" if latent else grouping,
        "max_context": given.whole("max_position_embeddings", default=0) or None,
        "native_dtype": checkpoint.stored(given),
        "source": str(given.file),
    }
    return Model(**known | latent | _mixture(given) | _window(given, kind))


def _name(given: Fields) -> str:
    said = given.get("_name_or_path")
    folder = given.file.resolve().parent.name
    return said if isinstance(said, str) and said else folder or "config.json"


def _kv_heads(given: Fields, heads: int) -> int:
    kv_heads = given.whole("num_key_value_heads", default=heads)
    if heads % kv_heads:
        raise given.bad(
            f"num_key_value_heads {kv_heads} does not divide num_attention_heads "
            f"{heads}; make it a divisor"
        )
    return kv_heads


def _head_dim(given: Fields, kind: Kind, latent: dict[str, int]) -> int:
    if latent:
        return latent["mla_qk_nope"] + latent["mla_qk_rope"]
    if given.get("head_dim") is not None or kind.head_dim:
        return given.whole("head_dim", default=kind.head_dim)
    hidden, heads = given.whole("hidden_size"), given.whole("num_attention_heads")
    if hidden % heads:
        raise given.bad(
            f"num_attention_heads {heads} does not divide hidden_size {hidden}; mend "
            "one of them or give head_dim"
        )
    return hidden // heads


def _latent(given: Fields) -> dict[str, int]:
    """The widths of multi-head latent attention, where there is one."""
    if given.get("kv_lora_rank") is None:
        return {}
    direct = "q_lora_rank" in given.config and given.get("q_lora_rank") is None
    return {
        "mla_kv_lora_rank": given.whole("kv_lora_rank"),
        "mla_q_lora_rank": 0 if direct else given.whole("q_lora_rank"),
        "mla_qk_nope": given.whole("qk_nope_head_dim"),
        "mla_qk_rope": given.whole("qk_rope_head_dim"),
        "mla_v_dim": given.whole("v_head_dim"),
    }


def _mixture(given: Fields) -> dict[str, int]:
    """Experts, where there are any."""
    if all(given.get(key) is None for key in EXPERTS):
        return {}
    experts, chosen = given.whole(*EXPERTS), given.whole("num_experts_per_tok")
    if chosen > experts:
        raise given.bad(f"num_experts_per_tok {chosen} exceeds the {experts} experts")
    if given.get("mlp_only_layers"):
        raise given.bad("mlp_only_layers is not understood; it must be empty")
    dense = given.whole("first_k_dense_replace", default=0, least=0)
    if dense > (layers := given.whole("num_hidden_layers")):
        raise given.bad(f"first_k_dense_replace {dense} exceeds the {layers} layers")
    return {
        "moe_experts": experts,
        "moe_topk": chosen,
        "moe_shared": given.whole("n_shared_experts", default=0, least=0),
        "moe_intermediate": given.whole("moe_intermediate_size", "intermediate_size"),
        "moe_first_dense": dense,
        "moe_layer_step": given.whole(
            "decoder_sparse_step", "moe_layer_freq", default=1
        ),
    }


def _window(given: Fields, kind: Kind) -> dict[str, Any]:
    """The sliding window and its layers, in the words of models.csv."""
    local, layers = _local(given), given.whole("num_hidden_layers")
    on = given.truth("use_sliding_window", kind.windowed)
    if not on or (given.get("sliding_window") is None and not local):
        return {}
    pattern = "all layers"
    if local is not None:
        pattern = f"{local} of {layers} layers"
    elif not kind.windowed:
        raise given.bad("use_sliding_window needs layer_types, one word for each layer")
    elif kind.period:
        period = given.whole("sliding_window_pattern", default=kind.period)
        pattern = f"{period - 1} local : 1 full"
    return {
        "sliding_window": given.whole("sliding_window"),
        "window_pattern": pattern,
    }


def _local(given: Fields) -> int | None:
    """How many layers look through the window; None if they are not listed."""
    if (types := given.words("layer_types")) is None:
        return None
    layers = given.whole("num_hidden_layers")
    local, full = types.count("sliding_attention"), types.count("full_attention")
    if not local + full == len(types) == layers:
        raise given.bad(
            f"layer_types must say full_attention or sliding_attention {layers} times, "
            "once for each layer"
        )
    return local


def _vectors(given: Fields, bare: Model, kind: Kind) -> int:
    """Parameters of norms, biases and attention sinks."""
    hidden, width, experts = bare.hidden, bare.head_dim, bare.moe_experts or 0
    each = kind.norms * hidden + (2 * width if kind.qk_norm else 0)
    each += (bare.mla_kv_lora_rank or 0) + (bare.mla_q_lora_rank or 0)
    if given.truth("attention_bias", bool(kind.biases)):
        each += (bare.heads + 2 * bare.kv_heads) * width
        each += 0 if kind.biases == "qkv" else hidden
    if given.truth("mlp_bias", False):
        each += 2 * (bare.intermediate or 0) + hidden
    mixtures = experts if kind.router_bias else 0
    if given.get("model_type") == "gpt_oss":
        inner = 2 * (bare.moe_intermediate or 0)
        mixtures = bare.heads + experts * (inner + hidden + 1)
    return bare.layers * each + hidden + shapes.moe_layers(bare) * mixtures
