"""Attention: over a cache, in a window, in latent form, or as a state of fixed size."""

from collections.abc import Iterator

import numpy as np

from specsim.roofline import shapes
from specsim.roofline.catalog import Model
from specsim.roofline.operation import Op, Share
from specsim.roofline.work import Amount, Work


def spans(model: Model) -> Iterator[tuple[int, int | None]]:
    """Layers, and how many tokens back they look; None: all."""
    windowed = shapes.windowed_layers(model)
    if full := shapes.attention_layers(model) - windowed:
        yield full, None
    if windowed:
        yield windowed, model.sliding_window or 0


def attentions(one: Share) -> Iterator[Op]:
    """Attention over cached and new tokens, and the states of linear attention."""
    for layers, window in spans(one.model):
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
    one: Share, name: str, layers: int, window: int | None, work: Work
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

    >>> float(_pairs(3, 10, None)), float(_pairs(3, 10, 12))
    (36.0, 35.0)
    """
    if window is None:
        return tokens * (context + (tokens + 1) / 2)
    short = np.clip(window - context, 0, tokens)
    return short * (context + (short + 1) / 2) + (tokens - short) * window
