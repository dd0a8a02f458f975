"""What may be off: how wide the interval is, and what the reader should know."""

from collections.abc import Iterator
from functools import reduce
from operator import mul

from specsim.roofline import communication, fit, shapes, step
from specsim.roofline.case import Case
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import (
    GENERIC,
    LACKING,
    MIXTURE,
    UNUSUAL,
    Format,
    Spread,
)


def spread(asked: Case) -> Spread:
    """How far kernels may be off, all doubts together."""
    model, numbers = asked.model, asked.numbers
    doubts = [step.family(asked.gpu).spread, numbers.experts.spread]
    doubts += [LACKING] if _lacking(asked) else []
    doubts += [MIXTURE] if model.moe_experts else []
    doubts += [] if model.attention in shapes.PLAIN else [UNUSUAL]
    return reduce(mul, doubts)


def notes(asked: Case, gpus: int) -> Iterator[str]:
    """What the reader should know before believing a step on so many GPUs."""
    if fit.spare_bytes(asked, gpus) < 0:
        yield "it does not fit: what follows is hypothetical"
    yield from _of_hardware(asked)
    yield from _of_model(asked)
    if (nodes := communication.group(asked.gpu, gpus).nodes) > 1:
        yield f"spans {nodes} nodes: their network is an assumption"


def _of_hardware(asked: Case) -> Iterator[str]:
    gpu = asked.gpu
    if step.family(gpu) is GENERIC:
        yield (
            f"no kernels of {gpu.arch} were measured: generic constants, wider interval"
        )
    for form in _lacking(asked):
        yield _lack(gpu, form)
    if gpu.confidence == "low":
        yield f"the datasheet rates of {gpu.name} are uncertain"


def _lacking(asked: Case) -> list[Format]:
    """The formats of weights in which the datasheet has no rate."""
    forms = dict.fromkeys([asked.numbers.linear, asked.numbers.experts])
    return [form for form in forms if step.lacks(asked.gpu, form)]


def _lack(gpu: Gpu, form: Format) -> str:
    wanted, got = form.peak or "", step.arithmetic(gpu, form)
    return (
        f"the datasheet of {gpu.name} has no {_digits(wanted)} rate: FLOPs counted at "
        f"its {_digits(got)} one, wider interval"
    )


def _digits(column: str) -> str:
    """The number format a column of rates is for."""
    return column.partition("_")[0]


def _of_model(asked: Case) -> Iterator[str]:
    model = asked.model
    if model.max_context and asked.context > model.max_context:
        yield (
            f"context {asked.context:,} is longer than the {model.max_context:,} the "
            "model was made for"
        )
    if model.attention not in shapes.PLAIN:
        yield f"attention is only approximated: {model.attention}"
    if model.moe_experts:
        yield "experts counted as if routing were uniform; skew touches 5-15 % fewer"
