"""What `specsim list models` and `specsim list gpus` print."""

from dataclasses import asdict
from typing import Any

from specsim.roofline import catalog, shapes
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.lettering import figure


def models_table() -> str:
    """One line a model: names, size, cache and native format."""
    head = (
        f"{'model':44}{'also':24}{'billion':>8}{'active':>8}{'KV KB':>7}{'format':>7}"
    )
    return "\n".join([head, *map(_model, catalog.models())])


def _model(row: Model) -> str:
    cache = row.kv_bytes_per_token_fp16
    kilobytes = f"{cache / 1000:.0f}" if cache else "?"
    marks = "" if row.attention in shapes.PLAIN else "  attention approximated"
    return (
        f"{row.hf_id:44}{' '.join(row.aliases):24}{row.params_total / 1e9:8.1f}"
        f"{row.params_active / 1e9:8.1f}{kilobytes:>7}{row.native_dtype:>7}{marks}"
    )


def gpus_table() -> str:
    """One line an accelerator: names, memory, bandwidth and dense rate.

    Of 16-bit products, or of fp32 where that is all the datasheet has.
    """
    head = f"{'GPU':30}{'also':28}{'GB':>6}{'GB/s':>8}{'TFLOPS':>8}  {'architecture'}"
    return "\n".join([head, *map(_gpu, catalog.gpus())])


def _gpu(row: Gpu) -> str:
    rate = row.bf16_tflops or row.fp16_fp32acc_tflops or row.fp16_tflops
    rate = rate or row.fp32_tflops
    said = "?" if rate is None else figure(rate, 2)
    return (
        f"{row.name:30}{' '.join(row.aliases):28}{row.mem_gb:6.0f}"
        f"{row.mem_bw_gbs:8,.0f}{said:>8}  {row.arch}"
    )


def models_rows() -> list[dict[str, Any]]:
    """The same table with every column, for JSON."""
    return [asdict(row) for row in catalog.models()]


def gpus_rows() -> list[dict[str, Any]]:
    """The same table with every column, for JSON."""
    return [asdict(row) for row in catalog.gpus()]
