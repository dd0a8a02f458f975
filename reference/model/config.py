"""The shape of a decoder-only transformer of the Llama family."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Llama3:
    """How Llama 3.1 stretches the wavelengths of its rotary embedding.

    Those longer than `original / low` positions become `factor` times as long, those
    shorter than `original / high` stay, and in between one passes into the other.
    """

    factor: float
    low: float
    high: float
    original: int


@dataclass(frozen=True)
class Config:
    """Sizes and options, in the words of `specsim list models`.

    eps:        added to the mean square in every norm
    theta:      base of the rotary wavelengths
    scaling:    how they are stretched, if they are
    tied:       whether the head is the embedding
    qkv_bias:   whether queries, keys and values have a bias (Qwen2)
    qk_norm:    whether queries and keys are normed, head by head (Qwen3)
    input_norm: whether a layer norms what attention reads (in EAGLE-1 it does not)
    """

    vocab: int
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float = 1e-6
    theta: float = 10_000.0
    scaling: Llama3 | None = None
    tied: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    input_norm: bool = True
