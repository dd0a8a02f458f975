"""The question, resolved and checked: model, GPU, tokens, formats of numbers."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from specsim.errors import Bad
from specsim.roofline import names
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.constants import ENGINES, FORMATS, Engine, Format
from specsim.roofline.costs import Numbers

LARGEST = 10**9


@dataclass(frozen=True)
class Case:
    """A model on a kind of GPU, decoding `batch` sequences of `context` tokens."""

    model: Model
    gpu: Gpu
    batch: int
    context: int
    numbers: Numbers
    engine: Engine


def case(
    model: str | Model,
    gpu: str | Gpu,
    batch: int,
    context: int,
    weights: str | None,
    kv: str | None,
    engine: str,
) -> Case:
    """Names looked up and numbers checked; Bad names the one at fault."""
    row = model if isinstance(model, Model) else names.model(model)
    return Case(
        row,
        gpu if isinstance(gpu, Gpu) else names.gpu(gpu),
        whole("batch", batch),
        whole("context", context),
        stored(row, weights, kv),
        named("engine", engine, ENGINES),
    )


def stored(model: Model, weights: str | None, kv: str | None) -> Numbers:
    """Formats of weights and cache; None is the model's own, and 16 bits.

    A mixture whose own format is a 4-bit one keeps all but its experts in 16 bits.
    """
    chosen = named("weights", weights or model.native_dtype, FORMATS)
    linear = chosen
    if weights is None and model.moe_experts and chosen.bytes < 1:
        linear = FORMATS["bf16"]
    wide = "fp32" if chosen.name == "fp32" else "bf16"
    return Numbers(linear, chosen, named("kv", kv or wide, FORMATS))


def whole(name: str, value: int) -> int:
    """A whole number from 1 to a billion."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= LARGEST:
        raise Bad(f"{name} {value!r}: give a whole number from 1 to {LARGEST:,}")
    return number


Row = TypeVar("Row", Format, Engine)


def named(what: str, name: str, rows: Mapping[str, Row]) -> Row:
    """The row of that name, whatever its case."""
    key = name.lower() if isinstance(name, str) else ""
    key = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(key, key)
    if key not in rows:
        raise Bad(f"{what} {name!r}: choose from {', '.join(rows)}")
    return rows[key]
