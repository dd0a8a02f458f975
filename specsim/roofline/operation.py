"""Operations: what one kernel of a pass moves and computes, in bytes and FLOPs.

The amounts of the works may be arrays (they broadcast); everything else is a number.
Nothing here knows a GPU or a second.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from specsim.roofline.catalog import Model
from specsim.roofline.constants import TILE
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
class Share:
    """One GPU's part of a pass: the works it takes in, and their tokens."""

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


def product(
    name: str, count: int, shape: tuple[float, float], tokens: Amount, form: Format
) -> Op:
    """Tokens times a matrix (numbers in, numbers out); activations in 16 bits."""
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
