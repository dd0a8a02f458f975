"""Measured rows as questions: decode steps at batch 1, and served loads.

Read from specsim/data/measurements or another directory with decode.csv and
serving.csv. A row is asked as it stands or, where specsim's tables lack its model or
GPU, not at all: it then counts as unanswered by everyone, specsim included.
"""

import csv
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from specsim.errors import Bad
from tools.peers import describe
from tools.peers.question import Card, Question

MEASUREMENTS = Path(__file__).resolve().parents[2] / "specsim/data/measurements"

Row = dict[str, str]


@dataclass(frozen=True)
class Item:
    """Something asked, and what was measured.

    group:    the set it is scored in.
    question: None where specsim's tables lack its model or its GPU.
    ms:       of a step, or per output token.
    """

    name: str
    group: str
    question: Question | None
    ms: float | None
    ttft_ms: float | None = None


FORMATS = (
    (r"float32", "fp32"),
    (r"nvfp4.*", "nvfp4"),
    (r"bf(loat)?16", "bf16"),
    (r"f(p|loat)?16", "fp16"),
    (r"fp8(_block)?", "fp8"),
    (r"q8_0|gptq-int8|llm\.int8|int8.*", "int8"),
    (r"q4_.*|w4 .*|awq.*|gptq-(4b|int4).*|exl2 4\.0bpw|q4f16.*|(autoquant-)?int4.*",
     "int4"),
)  # fmt: skip
"""Words for weights as plain formats; all others have none."""

GPUS = {
    "M1 Max 32-core": "M1-Max",
    "M2 Ultra 76-core": "M2-Ultra",
    "M3 10-core": "M3",
    "M3 Max 40-core": "M3-Max-40c",
    "M4 10-core": "M4",
    "M5 10-core": "M5",
    "b200_sxm": "B200-SXM-180GB",
    "b300_sxm": "B300-SXM-288GB",
    "gb200": "GB200-186GB",
    "h100_sxm": "H100-SXM5-80GB",
    "h200_sxm": "H200-SXM5-141GB",
}
MODELS = {
    "Qwen/Qwen3-235B-A22B-FP8": "Qwen/Qwen3-235B-A22B",
    "nvidia/DeepSeek-R1-NVFP4": "deepseek-ai/DeepSeek-R1",
    "nvidia/DeepSeek-V3.1-NVFP4": "deepseek-ai/DeepSeek-V3",
    "nvidia/Qwen3-32B-NVFP4": "Qwen/Qwen3-32B",
}
"""The tables' names for what the rows call otherwise."""


def plain(words: str) -> str:
    """The format that words for weights mean, "" for one that has no plain name."""
    found = (form for text, form in FORMATS if re.fullmatch(text, words.lower()))
    return next(found, "")


def decode(directory: Path = MEASUREMENTS) -> list[Item]:
    """Every row at batch 1 that bears no flag."""
    rows = _read(directory / "decode.csv")
    return [_decode(row) for row in rows if row["batch"] == "1" and not row["flag"]]


def served(
    directory: Path = MEASUREMENTS, each: int = 100, seed: int = 0
) -> list[Item]:
    """A sample of so many dense models' rows, and as many mixtures'.

    Out of the rows whose plan is tensor parallelism alone, on one board.
    """
    rows = sorted(_read(directory / "serving.csv"), key=lambda row: row["id"])
    items = [_served(row) for row in rows if _tensor_parallel(row)]
    chosen = []
    for group in ("served dense", "served MoE"):
        members = [item for item in items if item.group == group]
        size = min(each, len(members))
        chosen += random.Random(f"{seed} {group}").sample(members, size)
    return chosen


def _read(path: Path) -> Iterable[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _decode(row: Row) -> Item:
    name, ms = row["id"], float(row["ms_per_step"])
    split = row["parallel"] == "layer-split"
    try:
        asked = Question(
            "decode",
            describe.shape(row["model"]),
            _card(row["device"]),
            prompt=max(1, round(float(row["ctx_avg"]))),
            gpus=int(row["tp"]),
            stages=int(row["n_devices"]) if split else 1,
            weights=plain(row["weight_format"]),
            stored=row["weight_format"],
            engine=row["engine"],
        )
    except Bad:
        return Item(name, "decode", None, ms)
    return Item(name, "decode", asked, ms)


def _served(row: Row) -> Item:
    shape = describe.shape(MODELS.get(row["model_path"], row["model_path"]))
    stored = row["gemm_quant_mode"] or row["precision"] or "bf16"
    own = shape.native_dtype == "mxfp4"  # served as published, whatever the row says
    asked = Question(
        "served",
        shape,
        _card(row["system"]),
        prompt=int(row["isl"]),
        output=int(row["osl"]),
        batch=round(float(row["batch_size"])),
        gpus=round(float(row["tp_size"])),
        weights="mxfp4" if own else plain(stored),
        stored="" if own else row["gemm_quant_mode"],
        experts="" if own else row["moe_quant_mode"],
        engine=row["backend"],
    )
    group = "served MoE" if shape.moe_experts else "served dense"
    tpot, ttft = float(row["silicon_tpot_ms"]), float(row["silicon_ttft_ms"])
    return Item(row["id"], group, asked, tpot, ttft)


def _card(name: str) -> Card:
    """By its own name, or by the tables' name for it."""
    try:
        return describe.card(name)
    except Bad:
        return describe.card(GPUS.get(name, name))


def _tensor_parallel(row: Row) -> bool:
    """No expert, data or pipeline parallelism, up to 8 GPUs."""
    others = ("pp_size", "attention_dp_size", "moe_ep_size")
    alone = all(float(row[name] or 1) <= 1 for name in others)
    return alone and float(row["tp_size"]) <= 8
