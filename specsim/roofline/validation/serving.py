"""Rows of serving measurements: time to first token and per output token under load."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.plan import Plan
from specsim.roofline.served import as_engines_store, served
from specsim.roofline.validation import setting
from specsim.roofline.validation.cells import (
    Cells,
    Skip,
    degree,
    needed,
    positive,
    text,
)
from specsim.roofline.validation.devices import device
from specsim.roofline.validation.together import Answer, each_deployment

DRAWN = 0.9
"""InferenceX, whose rows fill in attention_dp_size, draws lengths evenly between 0.8
and 1 of those it states (https://github.com/SemiAnalysisAI/InferenceX)."""

DRAFTING = "1.2.0rc6.post3"
DRAFTED = ("drafts assumed",)
KEPT = 0.75
"""InferenceX's recipes of DeepSeek-R1 under TensorRT-LLM come without drafts
(benchmarks/dsr1_fp8_b200_trt.sh) and with 3, or 1 where attention is replicated
(benchmarks/dsr1_fp8_b200_trt_mtp.sh). Rows do not say which; those of this release are
1.7 times too fast for any without. Of each draft after a kept one KEPT are kept: what
agrees with these rows."""

WIDEST = 16
"""Engines cut attention over two boards of 8 at most."""


@dataclass(frozen=True)
class Question:
    """What a row asks: a deployment under `batch` concurrent requests of one length.

    apart: prefill runs on GPUs of its own. drafts, accepted, held: see
        `served.Load`.
    """

    deployment: Deployment
    batch: float
    isl: float
    osl: float
    apart: bool
    drafts: int
    accepted: float
    held: float
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """How a row's GPUs are used."""

    plan: Plan
    apart: bool = False
    flags: tuple[str, ...] = ()


def question(row: Cells) -> Question:
    """The deployment and load of a row; reads no measured column."""
    path = text(row, "model_path") or text(row, "model")
    known = setting.model(path, positive(row, "params_b"), positive(row, "active_b"))
    where = device(text(row, "system"), positive(row, "dev_bw_gbps"))
    words = text(row, "gemm_quant_mode") or text(row, "precision")
    experts = text(row, "moe_quant_mode") if known.model.moe_experts else ""
    numbers = setting.numbers(known.model, words, None, "", experts)
    engine = setting.engine(text(row, "backend"))
    used = layout(row, known.model)
    made = Deployment(known.model, where.gpu, used.plan, numbers, engine)
    drafts = _drafts(row, used.plan)
    public = bool(text(row, "attention_dp_size"))
    drawn = DRAWN if public else 1.0
    batch = _whole(row, "batch_size") * degree(row, "attention_dp_size")
    return Question(
        as_engines_store(made),
        batch,
        max(drawn * _whole(row, "isl"), 1.0),
        max(drawn * _whole(row, "osl"), 1.0),
        used.apart,
        drafts,
        sum(KEPT**i for i in range(1, drafts + 1)),
        _held(row, made, batch) if public else 0.0,
        known.flags + where.flags + used.flags + (DRAFTED if drafts else ()),
    )


def _whole(row: Cells, column: str) -> float:
    if (value := needed(row, column)) < 1:
        raise Skip(f"{column} is less than 1", text(row, column))
    return value


def layout(row: Cells, model: Model) -> Layout:
    """Parallel sizes, empty and 0 meaning 1, as what they can only have meant.

    A part of the published rows states the product of two sizes where it means one: n
    GPUs that both cut the experts n ways and deal them to n groups, tp x dp = n x n.
    These are n GPUs (such rows fill in attention_dp_size; those that leave it empty
    mean what they say). Others give all GPUs of a deployment with prefill apart as its
    tensor parallelism: half of them decode, attention replicated, experts dealt whole.
    """
    tp, pp, dp = (degree(row, f"{name}_size") for name in ("tp", "pp", "attention_dp"))
    cut, ep = degree(row, "moe_tp_size"), degree(row, "moe_ep_size")
    n = math.isqrt(tp * dp)
    squared = n > 1 and n * n == tp * dp == cut * ep and (cut == ep or tp == dp)
    if model.moe_experts and squared and text(row, "attention_dp_size"):
        plan = Plan(tp=n, pp=pp, ep=n) if dp == 1 else Plan(pp=pp, ep=n, dp=n)
        return Layout(plan, _apart(row), ("sizes multiplied",))
    if tp > WIDEST or model.heads % tp:
        halved = _halved(tp * dp, pp, model)
        return Layout(halved, True, ("prefill apart, half assumed",))
    if not model.moe_experts or tp * dp % ep:
        ep = 1
    return Layout(Plan(tp=tp, pp=pp, ep=ep, dp=dp), _apart(row))


def _held(row: Cells, made: Deployment, batch: float) -> float:
    """Passes for which InferenceX's recipes hold a request back, on average.

    SGLang looks at its queue every 10 passes, every 30 from 16 requests on (in
    benchmarks/dsr1_fp8_b200.sh); TensorRT-LLM waits 20 to fill a batch of Llama 70B, 1k
    in and out, on fewer than 8 GPUs (in benchmarks/70b_fp4_b200_trt_slurm.sh).
    """
    engine, lengths = made.engine.name, (text(row, "isl"), text(row, "osl"))
    if engine == "sglang":
        return 5.0 if batch < 16 else 15.0
    llama = made.model.name.startswith("Llama") and lengths == ("1024", "1024")
    return 20.0 if engine == "trtllm" and llama and made.plan.gpus < 8 else 0.0


def _drafts(row: Cells, plan: Plan) -> int:
    """Drafts that a pass of the row's recipe verifies, where they are known."""
    deepseek = "deepseek" in text(row, "model_path").lower()
    if not deepseek or text(row, "backend_version") != DRAFTING:
        return 0
    return 1 if plan.dp > 1 else 3


def _apart(row: Cells) -> bool:
    return text(row, "mode").lower().startswith("disagg")


def _halved(gpus: int, pp: int, model: Model) -> Plan:
    """The decoding half of so many GPUs."""
    half = max(gpus // 2, 1)
    if model.moe_experts:
        return Plan(pp=pp, ep=half, dp=half)
    tp = math.gcd(half, math.gcd(8, model.heads))
    return Plan(tp=tp, pp=pp, dp=half // tp)


def measured(row: Cells) -> dict[str, float]:
    """Milliseconds to the first token and per token after it, those the row has."""
    columns = {"ttft": "silicon_ttft_ms", "tpot": "silicon_tpot_ms"}
    found = {name: positive(row, column) for name, column in columns.items()}
    held = {name: value for name, value in found.items() if value is not None}
    if not held:
        raise Skip("no measured figure")
    return held


def predicted(questions: Sequence[Question]) -> list[Answer]:
    """Low, expected and high milliseconds to the first token and per token after it."""
    return each_deployment(questions, _load)


def _load(made: Deployment, asked: Sequence[Question]) -> dict[str, list[Any]]:
    names = "batch", "isl", "osl", "apart", "drafts", "accepted", "held"
    load: dict[str, Any] = {
        name: np.array([getattr(each, name) for each in asked]) for name in names
    }
    found = served(made, **load)
    times = {
        "tpot": (found.tpot_low_s, found.tpot_s, found.tpot_high_s),
        "ttft": (found.ttft_low_s, found.ttft_s, found.ttft_high_s),
    }
    return {name: [1e3 * each for each in ends] for name, ends in times.items()}
