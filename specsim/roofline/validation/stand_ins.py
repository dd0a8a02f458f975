"""Stand-ins for what no table knows, from the figures a row brings with it.

A model of so many parameters gets the layers and widths of the dense or sparse row
nearest to it in size, its feed-forward blocks stretched to the parameters; a device of
some bandwidth gets the arithmetic rates of the row nearest in bandwidth.
"""

import math
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from specsim.roofline import catalog, shapes
from specsim.roofline.catalog import Gpu, Model

RATES = (
    "fp32_tflops", "tf32_tflops", "fp16_tflops", "bf16_tflops", "fp8_tflops",
    "int8_tops", "fp4_tflops", "int4_tops", "fp16_fp32acc_tflops",
)  # fmt: skip
UNIT = {"m": 1e-3, "b": 1.0, "t": 1e3}
SIZE = r"(?<![\w.])(a?)(\d+(?:\.\d+)?)([mbt])(?![a-z\d])"


def rates(gpu: Gpu, share: float) -> dict[str, Any]:
    """The arithmetic rates of a part of a device."""
    held = {name: getattr(gpu, name) for name in RATES}
    return {name: rate and rate * share for name, rate in held.items()}


@lru_cache(1000)
def gpu(name: str, bandwidth_gbs: float) -> Gpu:
    """A device of that bandwidth, of an architecture nobody measured."""
    nearest = min(
        catalog.gpus(), key=lambda row: abs(math.log(row.mem_bw_gbs / bandwidth_gbs))
    )
    share = bandwidth_gbs / nearest.mem_bw_gbs
    arch = "CPU" if re.search(r"\bcpu\b", name, re.IGNORECASE) else "unknown"
    return replace(
        nearest,
        name=name,
        aliases=(),
        arch=arch,
        mem_bw_gbs=bandwidth_gbs,
        confidence="low",
        **rates(nearest, share),
    )


SHARED = 0.16
"""Of the size in a name like 8x7b, what experts have in common: Mixtral 8x7B has 46.7
and 12.9 billion parameters."""


def sizes(name: str) -> tuple[float | None, float | None]:
    """Parameters and active ones in billions, as a model's name says them.

    >>> sizes("Acme-30B-A3B"), sizes("acme 8x7b"), sizes("Acme")
    ((30.0, 3.0), (48.2, 12.9), (None, None))
    """
    name = name.lower()
    if found := re.search(r"(?<![\w.])(\d+)x(\d+(?:\.\d+)?)b(?![a-z])", name):
        experts, each = int(found[1]), float(found[2])
        counts = (experts - (experts - 1) * SHARED, 2 - SHARED)
        total, active = (round(count * each, 1) for count in counts)
        return total, active
    held: dict[str, float] = {}
    for marked, figure, unit in re.findall(SIZE, name):
        held.setdefault(marked, float(figure) * UNIT[unit])
    return held.get(""), held.get("a")


@lru_cache(1000)
def model(name: str, params_b: float, active_b: float | None) -> Model:
    """A model of so many parameters (billions), sparse if fewer are active."""
    sparse = active_b is not None and active_b < 0.9 * params_b
    active = active_b if sparse and active_b else params_b
    rows = [
        row
        for row in catalog.models()
        if row.attention in ("GQA", "MHA")
        and row.mlp_matrices == 3
        and bool(row.moe_experts) == sparse
        and not row.sliding_window
    ]
    nearest = min(rows, key=lambda row: _apart(row, params_b, active))
    return _stretched(nearest, name, params_b * 1e9)


def _apart(row: Model, params_b: float, active_b: float) -> float:
    whole = abs(math.log(row.params_total / 1e9 / params_b))
    return whole + abs(math.log(row.params_active / 1e9 / active_b))


def _stretched(row: Model, name: str, params: float) -> Model:
    """The row with feed-forward blocks as wide as the parameters want."""
    mixtures = shapes.moe_layers(row)
    blocks = 3 * row.hidden
    if mixtures:
        each = mixtures * (row.moe_experts or 0) * blocks
        inner = (row.moe_intermediate or 0) + (params - row.params_total) / each
        made = replace(row, moe_intermediate=max(round(inner), 1))
    else:
        inner = (row.intermediate or 0) + (params - row.params_total) / (
            row.layers * blocks
        )
        made = replace(row, intermediate=max(round(inner), 1))
    least = shapes.counted(made)
    return replace(
        made,
        hf_id=name,
        aliases=(),
        params_total=max(round(params), least),
        params_active=min(row.params_active, max(round(params), least)),
    )
