"""Small models as wide as the target: a draft's own layers, or some of the target's."""

from dataclasses import replace

from specsim.roofline import costs, shapes
from specsim.roofline.catalog import Model
from specsim.roofline.formats import FORMATS
from specsim.roofline.operation import Numbers
from specsim.roofline.speculation.drafters import Drafter


def layers(target: Model, drafter: Drafter) -> Model:
    """A model of a few layers as wide as the target's, with an embedding and a head.

    Dense layers unless the drafter keeps the experts; attention looks at the whole
    context, as the target's widest layers do.
    """
    own = drafter.experts
    made = replace(
        target,
        hf_id=f"{target.hf_id} {drafter.name}",
        aliases=(),
        layers=drafter.layers,
        vocab=min(drafter.vocab or target.vocab, target.vocab),
        intermediate=target.intermediate or 4 * target.hidden,
        attention="MLA" if own and shapes.is_mla(target) else "GQA",
        mla_kv_lora_rank=target.mla_kv_lora_rank if own else None,
        sliding_window=None,
        window_pattern=None,
        linear_attn_layers=None,
        moe_experts=target.moe_experts if own else None,
        moe_shared=target.moe_shared if own else None,
        moe_first_dense=None,
        moe_layer_step=None,
    )
    return replace(made, params_total=shapes.counted(made))


def part(target: Model, share: float) -> Model:
    """A share of the target's layers, of each kind alike, embedding and head too."""
    kept = max(round(share * target.layers), 1)
    linear, dense = target.linear_attn_layers, target.moe_first_dense
    made = replace(
        target,
        layers=kept,
        linear_attn_layers=linear and round(linear * kept / target.layers),
        moe_first_dense=dense and min(dense, kept),
    )
    return replace(made, params_total=shapes.counted(made))


def numbers(target: Numbers, drafter: Drafter) -> Numbers:
    """The target's formats; layers that were trained for it apart stay in 16 bits."""
    if drafter.experts or target.linear.bytes >= 2:
        return target
    return Numbers(FORMATS["bf16"], FORMATS["bf16"], target.kv)


def held_bytes(small: Model, stored: Numbers, drafter: Drafter) -> float:
    """Weights beside the target's own.

    The embedding is the target's, and so is the head unless it knows fewer words.
    """
    ends = shapes.embedding(small) + (0 if drafter.vocab else shapes.head(small))
    joined = drafter.fused * small.hidden**2
    whole = costs.weight_bytes(small, stored)
    return whole - ends * stored.rest.bytes + joined * stored.linear.bytes
