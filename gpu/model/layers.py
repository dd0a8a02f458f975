"""Decoder layers of the Llama family, batched: the twin of reference/model/layers."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from .config import Config
from .rotary import Turn, turned

Weights = Mapping[str, Any]
"""Arrays or tensors under their Hugging Face names."""
Put = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Stores new keys and values (B, n, heads, width), gives all (B, heads, S, width)."""


class Layer:
    """Attention, then SwiGLU, each adding to what it reads through a norm."""

    def __init__(self, config: Config, weights: Mapping[str, Tensor], prefix: str):
        def each(where: str, names: Iterable[str], what: str) -> list[Tensor]:
            return [weights[f"{prefix}{where}{name}_{what}"] for name in names]

        attention = partial(each, "self_attn.")
        self.config = config
        self.qkv = torch.cat(attention("qkv", "proj.weight"))
        self.bias = (
            torch.cat(attention("qkv", "proj.bias")) if config.qkv_bias else None
        )
        self.norms = attention("qk", "norm.weight") if config.qk_norm else None
        (self.out,) = attention("o", "proj.weight")
        self.gate_up = torch.cat(each("mlp.", ["gate", "up"], "proj.weight"))
        (self.down,) = each("mlp.", ["down"], "proj.weight")
        before = f"{prefix}input_layernorm.weight"
        self.before = weights[before] if config.input_norm else None
        self.between = weights[f"{prefix}post_attention_layernorm.weight"]

    def __call__(self, x: Tensor, by: Turn, seen: Tensor, put: Put) -> Tensor:
        """X (B, n, D) in and out; seen (B, 1, n, S) is what each node attends to."""
        read = x if self.before is None else self._norm(x, self.before)
        x = x + self._attention(read, by, seen, put)
        gate, up = linear(self._norm(x, self.between), self.gate_up).chunk(2, -1)
        return x + linear(silu(gate) * up, self.down)

    def _attention(self, x: Tensor, by: Turn, seen: Tensor, put: Put) -> Tensor:
        heads, kv = self.config.heads, self.config.kv_heads
        qkv = linear(x, self.qkv, self.bias)
        qkv = qkv.view(*x.shape[:2], -1, self.config.head_dim)
        q, k, v = qkv[:, :, :heads], qkv[:, :, heads:-kv], qkv[:, :, -kv:]
        if self.norms:
            q, k = self._norm(q, self.norms[0]), self._norm(k, self.norms[1])
        keys, values = put(turned(k, by), v)
        attend = _attend_one if x.shape[1] == 1 else _attend
        mixed = attend(turned(q, by).transpose(1, 2), keys, values, seen)
        return linear(mixed.transpose(1, 2).flatten(2), self.out)

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return rms_norm(x, weight.shape, weight, self.config.eps)


def _attend(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor) -> Tensor:
    """What n queries of each head (B, heads, n, width) find in what they see."""
    return scaled_dot_product_attention(q, keys, values, seen, enable_gqa=True)


def _attend_one(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor) -> Tensor:
    """The same for n = 1: heads that share keys are as many queries of one head.

    Processors are several times as fast so, and with a mask that is added.
    """
    grouped = q.reshape(len(q), keys.shape[1], -1, q.shape[-1])
    mask = torch.zeros_like(seen, dtype=q.dtype).masked_fill(~seen, -torch.inf)
    rows = mask.expand(-1, -1, grouped.shape[2], -1)
    return scaled_dot_product_attention(grouped, keys, values, rows).view_as(q)
