"""The probe pair: a target and a draft of 16 tokens, made of nothing but a seed.

Two layers of the Llama family, small enough for the exact law of every prefix an engine
visits, and untrained: no row is sure of itself, so every token tells. The draft is the
target with noise on every matrix; `sum min(p, q)` is 0.65 on average.

Every weight is a multiple of 1 / 256 below 1, which 16-bit floats of either kind hold
exactly: an engine that loads the pair in half precision loads the same pair.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim import seam
from specsim.pretrained import Pretrained

Array = NDArray[Any]

VOCAB, CONTEXT = 16, 512
UNKNOWN, BEGIN, END = 0, 1, 2
WORDS = ("<unk>", "<s>", "</s>", *"abcdefghijklm")
"""What the tokens are called; the first three are special and in no prompt."""
GRAIN = 256
SEED = 11
SPREAD, HEAD_SPREAD, NOISE = 66, 100, 11
"""Weights are uniform up to this many 256ths, those of the head up to more."""


def config() -> Any:
    """The shape of both (reference/model/config)."""
    return seam.reference("model.config").Config(
        vocab=VOCAB,
        hidden=64,
        intermediate=128,
        layers=2,
        heads=2,
        kv_heads=2,
        head_dim=32,
    )


@cache
def target() -> Pretrained:
    """The model whose law an engine must keep, in float32."""
    shape = config()
    bits = np.random.PCG64(SEED)
    shapes = seam.reference("model.transformer").shapes(shape)
    return Pretrained(
        shape, {name: _made(bits, name, of) for name, of in shapes.items()}
    )


@cache
def draft() -> Pretrained:
    """The model that drafts, in float32."""
    bits = np.random.PCG64(SEED + 1)
    shape, arrays = target()
    return Pretrained(shape, {name: _noisy(bits, w) for name, w in arrays.items()})


def _made(bits: Any, name: str, shape: tuple[int, ...]) -> Array:
    """A matrix of random weights; a norm is left at ones."""
    if len(shape) == 1:
        return np.ones(shape, np.float32)
    return _uniform(bits, shape, HEAD_SPREAD if name == "lm_head.weight" else SPREAD)


def _noisy(bits: Any, weights: Array) -> Array:
    if weights.ndim == 1:
        return weights
    noisy: Array = weights + _uniform(bits, weights.shape, NOISE)
    return noisy


def _uniform(bits: Any, shape: tuple[int, ...], spread: int) -> Array:
    """Whole numbers of 256ths from raw bits, which no version of NumPy changes."""
    raw = bits.random_raw(int(np.prod(shape))) >> np.uint64(11)
    steps = (raw % np.uint64(2 * spread + 1)).astype(np.float32) - spread
    made: Array = steps.reshape(shape) / np.float32(GRAIN)
    return made
