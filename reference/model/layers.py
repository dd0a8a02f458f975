"""Decoder layers of the Llama family, over a cache of keys and values.

RMSNorm, rotary attention with grouped heads, SwiGLU: Touvron et al. 2023,
https://arxiv.org/abs/2302.13971; Ainslie et al. 2023 (grouped queries),
https://arxiv.org/abs/2305.13245. Weights go by their Hugging Face names, matrices are
(out, in); everything is computed in the dtype of the weights.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cache import Cache, ancestry
from .config import Config
from .linear import Linear
from .rotary import Turn, turn, turned

Array = NDArray[Any]
Weights = Mapping[str, Array]
Shapes = dict[str, tuple[int, ...]]


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """X (..., D) divided by the root of its mean square, times `weight` (D,)."""
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    normed: Array = x / np.sqrt(mean_square + x.dtype.type(eps)) * weight
    return normed


def silu(x: Array) -> Array:
    """X times its logistic sigmoid."""
    gated: Array = x * (0.5 + 0.5 * np.tanh(0.5 * x))
    return gated


def shapes(config: Config, prefix: str) -> Shapes:
    """The weights of the layer whose names begin with `prefix`."""
    hidden, inner, head = config.hidden, config.intermediate, config.head_dim
    queries, keys = config.heads * head, config.kv_heads * head
    made: Shapes = {
        "self_attn.q_proj.weight": (queries, hidden),
        "self_attn.k_proj.weight": (keys, hidden),
        "self_attn.v_proj.weight": (keys, hidden),
        "self_attn.o_proj.weight": (hidden, queries),
        "mlp.gate_proj.weight": (inner, hidden),
        "mlp.up_proj.weight": (inner, hidden),
        "mlp.down_proj.weight": (hidden, inner),
        "post_attention_layernorm.weight": (hidden,),
    }
    if config.input_norm:
        made["input_layernorm.weight"] = (hidden,)
    if config.qkv_bias:
        made |= {f"self_attn.{x}_proj.bias": (keys,) for x in "kv"}
        made["self_attn.q_proj.bias"] = (queries,)
    if config.qk_norm:
        made |= {f"self_attn.{x}_norm.weight": (head,) for x in "qk"}
    return {prefix + name: shape for name, shape in made.items()}


class Attention:
    """Every head attends to what is kept and to the ancestors of its node."""

    def __init__(self, config: Config, weights: Weights, prefix: str):
        def each(names: str, what: str) -> list[Array]:
            return [weights[f"{prefix}{name}_{what}"] for name in names]

        self.config = config
        self.qkv = Linear(*each("qkv", "proj.weight"))
        self.out = Linear(*each("o", "proj.weight"))
        self.bias = np.concatenate(each("qkv", "proj.bias")) if config.qkv_bias else 0
        self.norms = each("qk", "norm.weight") if config.qk_norm else None

    def __call__(self, x: Array, by: Turn, seen: Array, cache: Cache, i: int) -> Array:
        queries, kv = self.config.heads, self.config.kv_heads
        heads = (self.qkv(x) + self.bias).reshape(len(x), -1, self.config.head_dim)
        q, k, v = heads[:, :queries], heads[:, queries:-kv], heads[:, -kv:]
        if self.norms:
            q = rms_norm(q, self.norms[0], self.config.eps)
            k = rms_norm(k, self.norms[1], self.config.eps)
        keys, values = cache.put(i, turned(k, by).swapaxes(0, 1), v.swapaxes(0, 1))
        return self.out(attend(turned(q, by), keys, values, seen))


def attend(q: Array, keys: Array, values: Array, seen: Array) -> Array:
    """The mean of the values each query sees, weighted by softmax: (n, heads * width).

    q:            (n, heads, width); head h reads keys of head h * kv_heads // heads
    keys, values: (kv_heads, S, width)
    seen:         (n, M) which of the last M are seen; all before them are
    """
    n, kv_heads, width = len(q), len(keys), q.shape[-1]
    grouped = q.reshape(n, kv_heads, -1, width).transpose(1, 2, 0, 3)
    flat = grouped.reshape(kv_heads, -1, width) * q.dtype.type(width**-0.5)
    scores = (flat @ keys.swapaxes(1, 2)).reshape(*grouped.shape[:3], -1)
    scores[..., scores.shape[-1] - seen.shape[1] :][..., ~seen] = -np.inf
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    odds /= odds.sum(-1, keepdims=True)
    mixed: Array = odds.reshape(kv_heads, -1, odds.shape[-1]) @ values
    return mixed.reshape(grouped.shape).transpose(2, 0, 1, 3).reshape(n, -1)


class Layer:
    """Attention, then SwiGLU, each adding to what it reads through a norm."""

    def __init__(self, config: Config, weights: Weights, prefix: str):
        self.eps = config.eps
        self.attention = Attention(config, weights, f"{prefix}self_attn.")
        self.gate, self.up, self.down = (
            Linear(weights[f"{prefix}mlp.{name}_proj.weight"])
            for name in ("gate", "up", "down")
        )
        before = f"{prefix}input_layernorm.weight"
        self.before = weights[before] if config.input_norm else None
        self.between = weights[f"{prefix}post_attention_layernorm.weight"]

    def __call__(self, x: Array, by: Turn, seen: Array, cache: Cache, i: int) -> Array:
        read = x if self.before is None else rms_norm(x, self.before, self.eps)
        x = x + self.attention(read, by, seen, cache, i)
        read = rms_norm(x, self.between, self.eps)
        return x + self.down(silu(self.gate(read)) * self.up(read))


class Stack:
    """The layers of those name prefixes over one cache: hidden states in and out."""

    def __init__(self, config: Config, weights: Weights, prefixes: Sequence[str]):
        self.config = config
        self.layers = [Layer(config, weights, prefix) for prefix in prefixes]
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        dtype = self.layers[0].between.dtype
        self.cache = Cache(self.config, len(self.layers), dtype)

    def fresh(self) -> "Stack":
        """The same layers, over a cache of their own."""
        other = copy(self)
        other.clear()
        return other

    def extend(self, x: Array, parents: Sequence[int]) -> Array:
        """What the layers make of n nodes more, (n, D) in and out.

        Calls before a `keep` grow one tree: parents count its nodes from the first,
        and -1 is what is kept. The position of a node is its depth below that.
        """
        if len(x) != len(parents):
            raise ValueError(f"{len(x)} tokens and {len(parents)} parents")
        self.cache.grow(parents)
        if not len(x):
            return x
        seen = ancestry(self.cache.parents)[-len(x) :]
        positions = self.cache.kept + seen.sum(-1) - 1
        by = turn(self.config, positions, x.dtype)
        for i, layer in enumerate(self.layers):
            x = layer(x, by, seen, self.cache, i)
        return x

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self.cache.keep(path)
