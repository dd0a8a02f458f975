"""What a model is made of: matrices, experts, windows and cache entries.

Sizes are of one GPU's share under tensor parallelism of degree `tp`; tp = 1 is the
whole model. Only matrices a decode step multiplies by are listed one by one: the input
embedding is looked up, and norms and biases are what remains of the published total.
"""

import math
import re
from collections.abc import Iterable

from specsim.errors import Bad
from specsim.roofline.catalog import Model

Matrices = dict[str, tuple[float, float]]
"""Name to (numbers in, numbers out); the product of the two is its parameters."""

PLAIN = frozenset({"MHA", "GQA", "MQA", "MLA"})
"""Kinds of attention that the columns describe completely."""


ABSORBED = "k_absorb", "v_absorb"
"""Products of latent attention that take activations as they are, never scaled."""


def is_mla(model: Model) -> bool:
    """Whether the cache holds one compressed latent a token (multi-head latent)."""
    return bool(model.mla_kv_lora_rank)


def attention(model: Model, tp: int = 1) -> Matrices:
    """The projections of one attention layer.

    Grouped attention cuts keys and values no finer than a head; latent attention, in
    its absorbed form, keeps the down-projections whole on every GPU.
    """
    heads, hidden = model.heads / tp, model.hidden
    if not is_mla(model):
        columns = (heads + 2 * math.ceil(model.kv_heads / tp)) * model.head_dim
        return {"qkv": (hidden, columns), "o": (heads * model.head_dim, hidden)}
    rank, rope, nope, value, query = latent(model)
    down, out = rank + rope, heads * (nope + rope)
    first: Matrices = (
        {"q_down kv_down": (hidden, query + down), "q_up": (query, out)}
        if query
        else {"q kv_down": (hidden, out + down)}
    )
    return first | {
        "k_absorb": (heads * nope, rank),
        "v_absorb": (rank, heads * value),
        "o": (heads * value, hidden),
    }


def latent(model: Model) -> tuple[int, int, int, int, int]:
    """Widths of latent attention: rank, rotary, plain, value, rank of the query."""
    return (
        model.mla_kv_lora_rank or 0,
        model.mla_qk_rope or 0,
        model.mla_qk_nope or 0,
        model.mla_v_dim or 0,
        model.mla_q_lora_rank or 0,
    )


def mlp(model: Model, inner: int, tp: int = 1) -> Matrices:
    """A feed-forward block of `inner` units, gated where it has three matrices."""
    into = (model.mlp_matrices - 1) * inner / tp
    up = "gate_up" if model.mlp_matrices == 3 else "up"
    return {up: (model.hidden, into), "down": (inner / tp, model.hidden)}


def parameters(matrices: Matrices) -> float:
    """How many parameters they have together.

    >>> parameters({"a": (2, 3), "b": (3, 4)})
    18
    """
    return sum(rows * columns for rows, columns in matrices.values())


def moe_layers(model: Model) -> int:
    """Layers whose feed-forward block is a mixture of experts."""
    if not model.moe_experts:
        return 0
    return (model.layers - (model.moe_first_dense or 0)) // (model.moe_layer_step or 1)


def attention_layers(model: Model) -> int:
    """Layers with attention over a cache; the others keep a state of fixed size."""
    return model.layers - (model.linear_attn_layers or 0)


def shared_inner(model: Model) -> int:
    """Width of the block of a mixture layer that every token passes, 0 for none."""
    if not model.moe_shared:
        return 0
    return model.moe_shared_intermediate or model.moe_shared * _expert_inner(model)


def expert(model: Model) -> float:
    """Parameters of one expert."""
    return parameters(mlp(model, _expert_inner(model)))


def _expert_inner(model: Model) -> int:
    return model.moe_intermediate or 0


def windowed_layers(model: Model) -> int:
    """Layers whose attention sees only the last `sliding_window` tokens.

    A pattern without numbers counts as none: that reads too much, not too little.
    """
    pattern = model.window_pattern or ""
    if not model.sliding_window:
        return 0
    if pattern == "all layers":
        return model.layers
    if found := re.search(r"(\d+) local : (\d+) full", pattern):
        local, full = map(int, found.groups())
    elif found := re.match(r"(\d+) of (\d+) layers", pattern):
        local, full = int(found[1]), int(found[2]) - int(found[1])
    else:
        return 0
    return model.layers - model.layers // (local + full) * full


def kv_values(model: Model, tp: int = 1) -> float:
    """Numbers one layer caches for a token on one GPU."""
    if model.attention not in PLAIN:
        if model.kv_bytes_per_token_fp16 is None:
            raise Bad(
                f"{model.name}: {model.attention} is not modelled: its cache has no "
                "fixed size a token"
            )
        held = model.kv_bytes_per_token_fp16 / 2 / attention_layers(model)
        return held if is_mla(model) else held / min(tp, model.kv_heads)
    if is_mla(model):
        return (model.mla_kv_lora_rank or 0) + (model.mla_qk_rope or 0)
    return 2 * math.ceil(model.kv_heads / tp) * model.head_dim


def state_bytes(model: Model) -> float:
    """What one layer of linear attention keeps of a sequence, in fp32.

    Of twice the hidden width and 128 deep: Mamba-2 (expansion 2, state 128) and the
    gated delta rule of Qwen3-Next and Qwen3.5 agree on that.
    """
    return 4.0 * 2 * model.hidden * 128


def head(model: Model) -> int:
    """Parameters of the output head, or of the embedding it is tied to."""
    return model.vocab * model.hidden


def embedding(model: Model) -> int:
    """Parameters that a step looks up instead of streaming; 0 if the head is tied."""
    return 0 if model.tied_embeddings else head(model)


def counted(model: Model) -> int:
    """Parameters of all matrices, embedding and head included."""
    mixtures = moe_layers(model)
    blocks: Iterable[float] = (
        attention_layers(model) * parameters(attention(model)),
        (model.layers - mixtures) * parameters(mlp(model, model.intermediate or 0)),
        mixtures * (model.moe_experts or 0) * (expert(model) + model.hidden),
        mixtures * parameters(mlp(model, shared_inner(model))),
    )
    return round(sum(blocks)) + head(model) + embedding(model)


def remainder(model: Model) -> int:
    """Parameters that are none of the matrices: norms, biases, tables of positions.

    Bad where matrices exceed the published total by a percent: a misunderstood shape.
    """
    left = model.params_total - counted(model)
    if left < -model.params_total / 100:
        raise Bad(
            f"{model.name}: its matrices as listed have {counted(model):,} parameters, "
            f"more than its published {model.params_total:,}; its shape is not modelled"
        )
    return max(left, 0)
