"""Rows of decode measurements: one step of a batch, as tokens per second or ms."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.roofline import precisions
from specsim.roofline.deployment import Deployment
from specsim.roofline.plan import Plan
from specsim.roofline.validation import setting
from specsim.roofline.validation.cells import (
    Cells,
    Skip,
    degree,
    needed,
    number,
    positive,
    text,
)
from specsim.roofline.validation.devices import Device, device
from specsim.roofline.validation.together import Answer, each_deployment
from specsim.roofline.work import Work


@dataclass(frozen=True)
class Question:
    """What a row asks: which deployment, how many sequences of which length.

    prefilled: the figure is of whole requests, their prefill included.
    """

    deployment: Deployment
    batch: float
    prompt: float
    output: float
    context: float
    prefilled: bool
    flags: tuple[str, ...]


def question(row: Cells) -> Question:
    """The deployment and the lengths of a row; reads no measured column.

    Skip where model, device, format or lengths cannot be settled.
    """
    params_b, active_b = positive(row, "params_b"), positive(row, "active_b")
    known = setting.model(text(row, "model"), params_b, active_b)
    where = device(text(row, "device"), positive(row, "dev_bw_gbps"))
    words = text(row, "weight_format")
    numbers = setting.numbers(known.model, words, _bits(row, words), _kv(row))
    engine = setting.engine(text(row, "engine"), text(row, "version_date"))
    made = Deployment(known.model, where.gpu, plan(row, where), numbers, engine)
    prompt, output, context = _lengths(row)
    return Question(
        made,
        positive(row, "batch") or 1.0,
        prompt,
        output,
        context,
        prefilled(text(row, "metric"), text(row, "engine")) and output > 0,
        known.flags + where.flags,
    )


def plan(row: Cells, where: Device) -> Plan:
    """How the row's devices share the model: tensor parallel, or stages of layers."""
    tp = degree(row, "tp")
    count = max(degree(row, "n_devices"), where.count or 1, tp)
    way = text(row, "parallel").lower()
    if found := re.search(r"pp\s*(\d+)", way):
        stages = int(found[1])
    elif re.search(r"layer|pipe|\bpp\b|split|stage", way):
        stages = count // tp
    else:
        stages = 1
        tp = max(tp, count)
    found = re.search(r"ep\s*(\d+)", way)
    ep = int(found[1]) if found else 1
    return Plan(tp=tp, pp=max(stages, 1), ep=1 if ep == 0 or tp % ep else ep)


DECODING_TIMED = (
    "llama", "exllama", "awq", "mlc", "mlx", "tmac", "ktransformers", "gptfast",
    "torchao",
)  # fmt: skip
"""Engines whose own benchmarks time decoding apart from prefill: llama-bench's tg,
examples/benchmark.py of AutoAWQ, gpt-fast's generate.py and the like."""


def prefilled(metric: str, engine: str) -> bool:
    """Whether a figure is of whole requests, prefill included.

    Rates are tokens over the time of the request, unless the engine's benchmark times
    decoding apart; a time per token is between tokens.

    >>> prefilled("tok/s total", "LMDeploy"), prefilled("tok/s/user", "llama.cpp")
    (True, False)
    """
    apart = any(word in setting.squeezed(engine) for word in DECODING_TIMED)
    return metric == "s/request" or (metric.startswith("tok/s") and not apart)


def _lengths(row: Cells) -> tuple[float, float, float]:
    """Prompt, output, and the tokens cached on average while the output grows."""
    prompt = number(row, "prompt_len") or 0.0
    output = positive(row, "output_len") or 0.0
    return prompt, output, positive(row, "ctx_avg") or max(prompt + output / 2, 1.0)


def _bits(row: Cells, words: str) -> float | None:
    """Bits a weight; those derived from the size of a file say less than the format."""
    sized = "model_size" in text(row, "weight_gb_basis")
    return None if sized and precisions.named(words) else positive(row, "weight_bits")


def _kv(row: Cells) -> str:
    bits = positive(row, "kv_bits") or 16.0
    return {32.0: "fp32", 8.0: "fp8", 4.0: "int4"}.get(bits, "bf16")


TO_MS: dict[str, Callable[[float, float, float], float]] = {
    "tok/s/user": lambda value, batch, output: 1e3 / value,
    "tok/s total": lambda value, batch, output: 1e3 * batch / value,
    "ms/token": lambda value, batch, output: value,
    "s/request": lambda value, batch, output: 1e3 * value / output,
}


def measured(row: Cells) -> dict[str, float]:
    """Milliseconds a step, as stated or as the row's own metric has it."""
    return {"decode": _ms(row)}


def _ms(row: Cells) -> float:
    if (stated := positive(row, "ms_per_step")) is not None:
        return stated
    if text(row, "ms_per_step") and not text(row, "value"):
        raise Skip("ms_per_step is 0")
    value = needed(row, "value")
    metric = " ".join(text(row, "metric").split()).lower()
    if not metric:
        raise Skip("value without a metric", f"one of {', '.join(TO_MS)}")
    if metric not in TO_MS:
        raise Skip("unknown metric", metric)
    batch, output = positive(row, "batch") or 1.0, positive(row, "output_len")
    if metric == "s/request" and output is None:
        raise Skip("seconds a request, and no output_len")
    return TO_MS[metric](value, batch, output or 1.0)


def predicted(questions: Sequence[Question]) -> list[Answer]:
    """Low, expected and high milliseconds a step, of many rows at once."""
    return each_deployment(questions, _steps)


def _steps(made: Deployment, asked: Sequence[Question]) -> dict[str, list[Any]]:
    """The steps of one deployment; whole requests bring their share of prefill."""
    fields = ((each.batch, each.prompt, each.output, each.context) for each in asked)
    batch, prompt, output, context = map(np.array, zip(*fields, strict=True))
    step = made.run(Work(batch, 1, context))
    share = np.array([each.prefilled for each in asked]) / np.maximum(output, 1)
    first = made.run(Work(batch, np.maximum(prompt, 1), 0, logits=1))
    pairs = (
        (step.low_s, first.low_s),
        (step.seconds, first.seconds),
        (step.high_s, first.high_s),
    )
    return {"decode": [1e3 * (each + share * prefill) for each, prefill in pairs]}
