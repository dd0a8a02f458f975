"""Bytes and FLOPs of one forward pass, operation by operation, on one GPU of a plan.

The amounts of the works may be arrays (they broadcast); everything else is a number.
Nothing here knows a GPU or a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from specsim.roofline import shapes
from specsim.roofline.catalog import Model
from specsim.roofline.constants import SKEW, TILE
from specsim.roofline.formats import FORMATS, Format, blocked
from specsim.roofline.plan import Plan
from specsim.roofline.work import Amount, Work

Kind = Literal["product", "experts", "attention", "small", "wire"]
Wire = Literal["all-reduce", "all-to-all", "send"]


@dataclass(frozen=True)
class Op:
    """One kind of kernel, launched `count` times a pass; amounts are of one launch.

    weights, cache, moved: bytes of weights, of KV cache, and of activations.
    flops:   floating-point operations asked for.
    tiled:   the same with the tokens rounded up to whole tiles, as executed.
    queries: heads that look at each number of the cache.
    message: bytes each GPU holds (all-reduce) or sends; wire says which of them.
    """

    name: str
    kind: Kind
    count: float
    format: Format
    weights: Amount = 0.0
    cache: Amount = 0.0
    moved: Amount = 0.0
    flops: Amount = 0.0
    tiled: Amount = 0.0
    queries: float = 1.0
    message: Amount = 0.0
    wire: Wire | None = None

    @property
    def bytes(self) -> Amount:
        """All that one launch reads and writes in this GPU's memory."""
        return self.weights + self.cache + self.moved


@dataclass(frozen=True)
class Numbers:
    """How a model's numbers are stored: its products, its experts, its KV cache.

    Embedding, head and router stay in 16 bits when the rest is quantised, unless the
    format's own `ends`, or `ends` here, say otherwise.
    """

    linear: Format
    experts: Format
    kv: Format
    ends: Format | None = None

    @property
    def rest(self) -> Format:
        """Format of embedding, head and router."""
        if self.ends:
            return self.ends
        form = self.linear
        if form.ends:
            return replace(form, bytes=form.ends, kernel_us=0.0)
        return form if form.bytes >= 2 else FORMATS["bf16"]


@dataclass(frozen=True)
class _Pass:
    """What the functions below share: the model and its part of the pass."""

    model: Model
    plan: Plan
    numbers: Numbers
    works: tuple[Work, ...]
    rows: Amount
    scored: Amount

    @property
    def linear(self) -> Format:
        """Of products; mixtures in fp8 have a scale to every block of weights."""
        form = self.numbers.linear
        return blocked(form) if self.model.moe_experts else form

    @property
    def pooled(self) -> Amount:
        """Tokens that the experts of a layer see: those of every replica."""
        return self.rows * self.plan.dp


def ops(model: Model, works: Sequence[Work], plan: Plan, numbers: Numbers) -> list[Op]:
    """Every operation of one pass over all layers, on one GPU of the plan."""
    share = 1 / (plan.dp * plan.pp)
    parts = tuple(work.part(share) for work in works)
    rows, scored = sum(w.rows for w in parts), sum(w.scored for w in parts)
    one = _Pass(model, plan, numbers, parts, rows, scored)
    return [*_products(one), *_mixtures(one), *_attentions(one), *_others(one)]


def distinct_experts(
    experts: int, chosen: int, tokens: Amount, skew: float = 0.0
) -> Amount:
    """Expected number of different experts that `tokens` tokens choose `chosen` of.

    Choices independent and uniform at skew 0. Real tokens agree more: skew is the share
    by which every token after the first counts less.

    >>> [round(distinct_experts(256, 8, n), 1) for n in (1, 2, 8, 64)]
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
        for layers, window in _spans(model)
    )
    held = seen * shapes.kv_values(model, plan.tp) * kv.bytes
    state = (model.linear_attn_layers or 0) * shapes.state_bytes(model) / plan.tp
    return share * (held + state) / plan.pp


def _spans(model: Model) -> Iterator[tuple[int, int | None]]:
    """Layers, and how many tokens back they look; None: all."""
    windowed = shapes.windowed_layers(model)
    if full := shapes.attention_layers(model) - windowed:
        yield full, None
    if windowed:
        yield windowed, model.sliding_window or 0


def _product(
    name: str, count: int, shape: tuple[float, float], tokens: Amount, form: Format
) -> Op:
    rows, columns = shape
    flops = 2 * rows * columns
    return Op(
        name,
        "product",
        count,
        form,
        weights=rows * columns * form.bytes,
        moved=2 * tokens * (rows + columns),
        flops=tokens * flops,
        tiled=np.ceil(tokens / TILE) * TILE * flops,
    )


def _products(one: _Pass) -> Iterator[Op]:
    model, tp, form, rows = one.model, one.plan.tp, one.linear, one.rows
    layers, mixtures = shapes.attention_layers(model), shapes.moe_layers(model)
    for name, shape in shapes.attention(model, tp).items():
        own = one.numbers.linear if name in shapes.ABSORBED else form
        yield _product(name, layers, shape, rows, own)
    if dense := model.layers - mixtures:
        for name, shape in shapes.mlp(model, model.intermediate or 0, tp).items():
            yield _product(name, dense, shape, rows, form)
    if mixtures and (inner := shapes.shared_inner(model)):
        for name, shape in shapes.mlp(model, inner, tp).items():
            yield _product(f"shared {name}", mixtures, shape, rows, form)
    if model.attention not in shapes.PLAIN:
        left = shapes.remainder(model) / model.layers / model.hidden / tp
        unlisted = (model.hidden, left)
        yield _product("unlisted", model.layers, unlisted, rows, form)
    head = (model.hidden, model.vocab / tp)
    yield _product("head", 1, head, one.scored, one.numbers.rest)


def _mixtures(one: _Pass) -> Iterator[Op]:
    """Router and experts of the mixture layers, the experts of the busiest GPU."""
    model, plan, form = one.model, one.plan, blocked(one.numbers.experts)
    if not (layers := shapes.moe_layers(model)):
        return
    experts, chosen = model.moe_experts or 0, model.moe_topk or 0
    router = (model.hidden, experts)
    yield _product("router", layers, router, one.rows, one.numbers.rest)
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


def _attentions(one: _Pass) -> Iterator[Op]:
    """Attention over cached and new tokens, and the states of linear attention."""
    for layers, window in _spans(one.model):
        name = "attention" if window is None else "window attention"
        yield from (_attention(one, name, layers, window, work) for work in one.works)
    if linear := one.model.linear_attn_layers:
        state = shapes.state_bytes(one.model) / one.plan.tp
        batch = sum(work.batch for work in one.works)
        flops = one.rows * state
        yield Op(
            "linear attention",
            "attention",
            linear,
            one.numbers.rest,
            cache=2 * batch * state,
            moved=4 * one.rows * one.model.hidden / one.plan.tp,
            flops=flops,
            tiled=flops,
        )


def _attention(
    one: _Pass, name: str, layers: int, window: int | None, work: Work
) -> Op:
    model, tp = one.model, one.plan.tp
    heads = model.heads / tp
    held = shapes.kv_values(model, tp) * one.numbers.kv.bytes
    read = work.context if window is None else np.minimum(work.context, window)
    flops = 2 * work.batch * heads * _per_head(model, work, window)
    outer = 4 * heads * model.head_dim + held
    return Op(
        name,
        "attention",
        layers,
        one.numbers.rest,
        cache=work.batch * read * held,
        moved=work.rows * outer,
        flops=flops,
        tiled=flops,
        queries=model.heads / model.kv_heads,
    )


def _per_head(model: Model, work: Work, window: int | None) -> Amount:
    """Multiplications of one head of one sequence, over all its new tokens.

    Latent attention may widen keys and values first, which costs each cached token
    once and then less a pair: engines take the cheaper.
    """
    pairs = _pairs(work.tokens, work.context, window)
    if not shapes.is_mla(model):
        return pairs * 2 * model.head_dim
    rank, rope, nope, value, _ = shapes.latent(model)
    widened = work.context * rank * (nope + value) + pairs * (nope + rope + value)
    return np.minimum(pairs * (2 * rank + rope), widened)


def _pairs(tokens: Amount, context: Amount, window: int | None) -> Amount:
    """How many earlier tokens, itself included, all new ones look at together.

    >>> _pairs(3, 10, None), _pairs(3, 10, 12)
    (36.0, 35.0)
    """
    if window is None:
        return tokens * (context + (tokens + 1) / 2)
    short = np.clip(window - context, 0, tokens)
    return short * (context + (short + 1) / 2) + (tokens - short) * window


def _others(one: _Pass) -> Iterator[Op]:
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
