"""What may be off: how wide the interval is, and what the reader should know."""

from collections.abc import Iterator
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

from specsim.roofline import shapes, step
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import LACKING, MIXTURE, UNUSUAL, Spread
from specsim.roofline.formats import Format
from specsim.roofline.hardware import GENERIC

if TYPE_CHECKING:
    from specsim.roofline.deployment import Deployment


def spread(made: "Deployment") -> Spread:
    """How far kernels may be off, all doubts together."""
    model, numbers = made.model, made.numbers
    doubts = [step.family(made.gpu).spread, numbers.experts.spread]
    doubts += [LACKING] if _lacking(made) else []
    doubts += [MIXTURE] if model.moe_experts else []
    doubts += [] if model.attention in shapes.PLAIN else [UNUSUAL]
    return reduce(mul, doubts)


def notes(made: "Deployment", context: int) -> Iterator[str]:
    """What the reader should know before believing a pass over such contexts."""
    yield from _of_hardware(made)
    yield from _of_model(made, context)
    if (nodes := max(group.nodes for group in made.groups.values())) > 1:
        yield f"spans {nodes} nodes: their network is an assumption"


def _of_hardware(made: "Deployment") -> Iterator[str]:
    gpu = made.gpu
    if step.family(gpu) is GENERIC:
        yield (
            f"no kernels of {gpu.arch} were measured: generic constants, wider interval"
        )
    for form in _lacking(made):
        yield _lack(gpu, form)
    if gpu.confidence == "low":
        yield f"the datasheet rates of {gpu.name} are uncertain"


def _lacking(made: "Deployment") -> list[Format]:
    """The formats of weights in which the datasheet has no rate."""
    forms = dict.fromkeys([made.numbers.linear, made.numbers.experts])
    return [form for form in forms if step.lacks(made.gpu, form)]


def _lack(gpu: Gpu, form: Format) -> str:
    wanted, got = form.peak or "", step.arithmetic(gpu, form)
    return (
        f"the datasheet of {gpu.name} has no {_digits(wanted)} rate: FLOPs counted at "
        f"its {_digits(got)} one, wider interval"
    )


def _digits(column: str) -> str:
    """The number format a column of rates is for."""
    return column.partition("_")[0]


def _of_model(made: "Deployment", context: int) -> Iterator[str]:
    model = made.model
    if model.max_context and context > model.max_context:
        yield (
            f"context {context:,} is longer than the {model.max_context:,} the "
            "model was made for"
        )
    if model.attention not in shapes.PLAIN:
        yield f"attention is only approximated: {model.attention}"
    if model.moe_experts:
        yield "experts touched are an expectation: how skewed real routing is varies"
