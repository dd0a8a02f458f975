"""Bytes and FLOPs of one decode step, operation by operation, on one GPU of `tp`.

Batch and context may be arrays (they broadcast); everything else is a number. A step
turns one token of each of `batch` sequences, each with `context` tokens cached, into
the next. Nothing here knows a GPU or a second.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from specsim.roofline import shapes
from specsim.roofline.catalog import Model
from specsim.roofline.constants import FORMATS, TILE, Format

Amount = Any
"""A float, or an array of them in the shape of batch and context."""

Kind = Literal["product", "experts", "attention", "small", "all-reduce"]


@dataclass(frozen=True)
class Op:
    """One kind of kernel, launched `count` times a step; amounts are of one launch.

    weights, cache, moved: bytes of weights, of KV cache, and of activations.
    flops:   floating-point operations asked for.
    tiled:   the same with the tokens rounded up to whole tiles, as executed.
    message: bytes reduced across GPUs (all-reduce only).
    """

    name: str
    kind: Kind
    count: int
    format: Format
    weights: Amount = 0.0
    cache: Amount = 0.0
    moved: Amount = 0.0
    flops: Amount = 0.0
    tiled: Amount = 0.0
    message: Amount = 0.0

    @property
    def bytes(self) -> Amount:
        """All that one launch reads and writes in this GPU's memory."""
        return self.weights + self.cache + self.moved


@dataclass(frozen=True)
class Numbers:
    """How a model's numbers are stored: its products, its experts, its KV cache.

    Embedding, head and router stay in 16 bits when the rest is quantised.
    """

    linear: Format
    experts: Format
    kv: Format

    @property
    def rest(self) -> Format:
        """Format of embedding, head and router."""
        return self.linear if self.linear.bytes >= 2 else FORMATS["bf16"]


def distinct_experts(experts: int, chosen: int, tokens: Amount) -> Amount:
    """Expected number of different experts that `tokens` tokens choose `chosen` of.

    Choices independent and uniform; real routing is skewed, and touches 5-15 % fewer.

    >>> [round(distinct_experts(256, 8, n), 1) for n in (1, 2, 8, 64)]
    [8.0, 15.8, 57.4, 222.4]
    """
    return experts * (1 - (1 - chosen / experts) ** tokens)


def step(
    model: Model, batch: Amount, context: Amount, tp: int, numbers: Numbers
) -> list[Op]:
    """Every operation of one decode step, on one GPU of `tp`."""
    return [
        *_products(model, batch, tp, numbers),
        *_mixtures(model, batch, tp, numbers),
        *_attentions(model, batch, context, tp, numbers),
        *_others(model, batch, tp, numbers),
    ]


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
    model: Model, batch: Amount, context: Amount, tp: int, kv: Format
) -> Amount:
    """Bytes of KV cache that one GPU holds, and a step reads."""
    seen = sum(layers * span for layers, span in _spans(model, context))
    return batch * seen * shapes.kv_values(model, tp) * kv.bytes


def _spans(model: Model, context: Amount) -> Iterator[tuple[int, Amount]]:
    """Layers, and how many tokens back they look."""
    windowed = shapes.windowed_layers(model)
    if full := shapes.attention_layers(model) - windowed:
        yield full, context
    if windowed:
        yield windowed, np.minimum(context, model.sliding_window or 0)


def _product(
    name: str,
    count: int,
    shape: tuple[float, float],
    tokens: Amount,
    form: Format,
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


def _products(model: Model, batch: Amount, tp: int, numbers: Numbers) -> Iterator[Op]:
    layers, mixtures = shapes.attention_layers(model), shapes.moe_layers(model)
    for name, shape in shapes.attention(model, tp).items():
        yield _product(name, layers, shape, batch, numbers.linear)
    if dense := model.layers - mixtures:
        for name, shape in shapes.mlp(model, model.intermediate or 0, tp).items():
            yield _product(name, dense, shape, batch, numbers.linear)
    if mixtures and (inner := shapes.shared_inner(model)):
        for name, shape in shapes.mlp(model, inner, tp).items():
            yield _product(f"shared {name}", mixtures, shape, batch, numbers.linear)
    head = (model.hidden, model.vocab / tp)
    yield _product("head", 1, head, batch, numbers.rest)


def _mixtures(model: Model, batch: Amount, tp: int, numbers: Numbers) -> Iterator[Op]:
    """Router and experts of the mixture layers."""
    if not (layers := shapes.moe_layers(model)):
        return
    experts, chosen = model.moe_experts or 0, model.moe_topk or 0
    yield _product("router", layers, (model.hidden, experts), batch, numbers.rest)
    size = shapes.expert(model) / tp
    touched = distinct_experts(experts, chosen, batch)
    flops = 2 * batch * chosen * size
    tiles = np.maximum(batch * chosen, touched * TILE)
    yield Op(
        "experts",
        "experts",
        layers,
        numbers.experts,
        weights=touched * size * numbers.experts.bytes,
        moved=4 * batch * chosen * model.hidden,
        flops=flops,
        tiled=2 * tiles * size,
    )


def _attentions(
    model: Model, batch: Amount, context: Amount, tp: int, numbers: Numbers
) -> Iterator[Op]:
    width = model.head_dim * 2
    if shapes.is_mla(model):
        rank, rope, *_ = shapes.latent(model)
        width = 2 * rank + rope
    held = shapes.kv_values(model, tp) * numbers.kv.bytes
    for layers, seen in _spans(model, context):
        flops = 2 * batch * seen * model.heads / tp * width
        yield Op(
            "attention" if seen is context else "window attention",
            "attention",
            layers,
            numbers.rest,
            cache=batch * seen * held,
            moved=4 * batch * model.heads / tp * model.head_dim,
            flops=flops,
            tiled=flops,
        )


def _others(model: Model, batch: Amount, tp: int, numbers: Numbers) -> Iterator[Op]:
    """Norms, rotary embedding and activation; all-reduces where there is a group.

    Norms are whole on every GPU; the unlisted matrices of unusual attention are not.
    """
    size, form = model.hidden * 2, numbers.rest
    count = 4 * model.layers
    parts = 1 if model.attention in shapes.PLAIN else tp
    left = shapes.remainder(model) * form.bytes / count / parts
    yield Op("small", "small", count, form, weights=left, moved=5 * batch * size)
    if tp > 1:
        twice = 2 * model.layers
        yield Op("all-reduce", "all-reduce", twice, form, message=batch * size)
