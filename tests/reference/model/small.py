"""Tiny models with random weights, and trees to score with them."""

from dataclasses import replace
from typing import Any

import numpy as np

from reference.model import transformer
from reference.model.config import Config, Llama3
from reference.model.transformer import Transformer
from specsim.oracle.loops.cast import random_weights as random_weights

PLAIN = Config(
    vocab=61,
    hidden=24,
    intermediate=40,
    layers=2,
    heads=6,
    kv_heads=2,
    head_dim=8,
    eps=1e-5,
)
STRETCHED = Llama3(factor=8.0, low=1.0, high=4.0, original=16)
CONFIGS = {
    "untied": PLAIN,
    "tied": replace(PLAIN, tied=True),
    "one head each": replace(PLAIN, kv_heads=6, theta=500_000.0),
    "wide heads": replace(PLAIN, kv_heads=1, head_dim=16),
    "llama3": replace(PLAIN, scaling=STRETCHED),
    "qwen2": replace(PLAIN, qkv_bias=True, tied=True),
    "qwen3": replace(PLAIN, qk_norm=True, head_dim=12),
}
TEXT = [3, 14, 15, 9, 26, 5, 35, 8]
TREE = [7, 1, 7, 2, 60, 0], [-1, -1, 0, 0, 1, 3]
"""Tokens and parents; the last node hangs below 7, 2."""


def model(
    config: Config = PLAIN, seed: int = 0, dtype: Any = np.float64
) -> Transformer:
    return Transformer(config, random_weights(transformer.shapes(config), seed, dtype))


def told(network: Any, text: list[int]) -> Any:
    """The model, once it was told the text."""
    network.extend(text, range(-1, len(text) - 1))
    network.keep(range(len(text)))
    return network


def path(node: int) -> list[int]:
    """The nodes of TREE from the root down to this one."""
    return [] if node == -1 else [*path(TREE[1][node]), node]
