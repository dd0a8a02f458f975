"""Bytes and FLOPs of one forward pass, operation by operation, on one GPU of a plan."""

from collections.abc import Iterator, Sequence

import numpy as np

from specsim.roofline import shapes
from specsim.roofline.attending import attentions, spans
from specsim.roofline.catalog import Model
from specsim.roofline.constants import SKEW, TILE
from specsim.roofline.formats import Format, blocked
from specsim.roofline.operation import Numbers, Op, Share, Wire, product
from specsim.roofline.plan import Plan
from specsim.roofline.work import Amount, Work


def ops(model: Model, works: Sequence[Work], plan: Plan, numbers: Numbers) -> list[Op]:
    """Every operation of one pass over all layers, on one GPU of the plan."""
    share = 1 / (plan.dp * plan.pp)
    parts = tuple(work.part(share) for work in works)
    rows, scored = sum(w.rows for w in parts), sum(w.scored for w in parts)
    one = Share(model, plan, numbers, parts, rows, scored)
    return [*_products(one), *_mixtures(one), *attentions(one), *_others(one)]


def distinct_experts(
    experts: int, chosen: int, tokens: Amount, skew: float = 0.0
) -> Amount:
    """Expected number of different experts that `tokens` tokens choose `chosen` of.

    Choices independent and uniform at skew 0. Real tokens agree more: skew is the share
    by which every token after the first counts less.

    >>> [round(float(distinct_experts(256, 8, n)), 1) for n in (1, 2, 8, 64)]
    [8.0, 15.8, 57.4, 222.4]
    """
    others = np.maximum(tokens - 1, 0) * (1 - skew)
    return experts * (1 - (1 - chosen / experts) ** (np.minimum(tokens, 1) + others))


def weight_bytes(model: Model, numbers: Numbers) -> float:
    """Bytes of all weights, once: what the GPUs have to hold between them."""
    mixtures = shapes.moe_layers(model) * (model.moe_experts or 0)
    experts = mixtures * shapes.expert(model)
    router = mixtures * model.hidden
    ends = shapes.head(model) + shapes.embedding(model)
    rest = shapes.remainder(model) + ends + router
    linear = shapes.counted(model) - experts - router - ends
    return float(
        linear * numbers.linear.bytes
        + experts * numbers.experts.bytes
        + rest * numbers.rest.bytes
    )


def cache_bytes(
    model: Model, batch: Amount, context: Amount, plan: Plan, kv: Format
) -> Amount:
    """Bytes of KV cache and state that one GPU holds for `batch` sequences in all."""
    share = batch / plan.dp
    seen = sum(
        layers * (context if window is None else np.minimum(context, window))
        for layers, window in spans(model)
    )
    held = seen * shapes.kv_values(model, plan.tp) * kv.bytes
    state = (model.linear_attn_layers or 0) * shapes.state_bytes(model) / plan.tp
    return share * (held + state) / plan.pp


def _products(one: Share) -> Iterator[Op]:
    model, tp, form, rows = one.model, one.plan.tp, one.linear, one.rows
    layers, mixtures = shapes.attention_layers(model), shapes.moe_layers(model)
    for name, shape in shapes.attention(model, tp).items():
        own = one.numbers.linear if name in shapes.ABSORBED else form
        yield product(name, layers, shape, rows, own)
    if dense := model.layers - mixtures:
        for name, shape in shapes.mlp(model, model.intermediate or 0, tp).items():
            yield product(name, dense, shape, rows, form)
    if mixtures and (inner := shapes.shared_inner(model)):
        for name, shape in shapes.mlp(model, inner, tp).items():
            yield product(f"shared {name}", mixtures, shape, rows, form)
    if model.attention not in shapes.PLAIN and shapes.remainder(model):
        left = shapes.remainder(model) / model.layers / model.hidden / tp
        unlisted = (model.hidden, left)
        yield product("unlisted", model.layers, unlisted, rows, form)
    head = (model.hidden, model.vocab / tp)
    yield product("head", 1, head, one.scored, one.numbers.rest)


def _mixtures(one: Share) -> Iterator[Op]:
    """Router and experts of the mixture layers; groups of experts are loaded alike."""
    model, plan, form = one.model, one.plan, blocked(one.numbers.experts)
    if not (layers := shapes.moe_layers(model)):
        return
    experts, chosen = model.moe_experts or 0, model.moe_topk or 0
    router = (model.hidden, experts)
    yield product("router", layers, router, one.rows, one.numbers.rest)
    size = shapes.expert(model) / plan.cut
    touched = distinct_experts(experts, chosen, one.pooled, SKEW) / plan.ep
    visits = one.pooled * chosen / plan.ep
    yield Op(
        "experts",
        "experts",
        layers,
        form,
        weights=touched * size * form.bytes,
        moved=4 * visits * model.hidden,
        flops=2 * visits * size,
        tiled=2 * np.maximum(visits, touched * TILE) * size,
    )


def _others(one: Share) -> Iterator[Op]:
    """Norms, rotary embedding and activation; messages where there are more GPUs."""
    model, plan, form = one.model, one.plan, one.numbers.rest
    state = one.rows * model.hidden * 2
    count = 4 * model.layers
    plain = model.attention in shapes.PLAIN
    left = shapes.remainder(model) * form.bytes / count if plain else 0.0
    yield Op("small", "small", count, form, weights=left, moved=5 * state)
    mixtures = shapes.moe_layers(model)
    if plan.tp > 1:
        sums = 2 * model.layers - (mixtures if plan.dp > 1 else 0)
        yield _wire("all-reduce", sums, form, state)
    if plan.dp > 1 and mixtures:
        sent = min(model.moe_topk or 1, plan.ep) * state / plan.tp
        yield _wire("all-to-all", 2 * mixtures, form, sent)
    if plan.pp > 1:
        yield _wire("send", plan.pp - 1, form, state / plan.tp)


def _wire(wire: Wire, count: int, form: Format, message: Amount) -> Op:
    return Op(wire, "wire", count, form, message=message, wire=wire)
