"""What may be off: how wide the interval is, and what the reader should know."""

from collections.abc import Iterator
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

from specsim.roofline import shapes, step
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import LACKING, MIXTURE, UNSEEN, UNUSUAL, Spread
from specsim.roofline.formats import Format
from specsim.roofline.hardware import GENERIC
from specsim.roofline.measured import Measured

if TYPE_CHECKING:
    from specsim.roofline.deployment import Deployment


def spread(made: "Deployment") -> Spread:
    """How far kernels may be off, all doubts together."""
    model, numbers = made.model, made.numbers
    doubts = [step.kernels(made.gpu, numbers.experts).spread, made.engine.spread]
    doubts += [UNSEEN] if unseen(made) else []
    doubts += [LACKING] if _lacking(made) else []
    doubts += [MIXTURE] if model.moe_experts else []
    doubts += [] if model.attention in shapes.PLAIN else [UNUSUAL]
    return reduce(mul, doubts)


def unseen(made: "Deployment") -> bool:
    """Whether its engine was measured on other architectures only, or its GPU on none.

    A machine that was measured needs nothing of others.
    """
    family, seen = step.family(made.gpu), made.engine.families
    if isinstance(made.gpu, Measured):
        return False
    return family is GENERIC or bool(seen and family.name not in seen)


def notes(made: "Deployment", context: int) -> Iterator[str]:
    """What the reader should know before believing a pass over such contexts."""
    yield from _of_hardware(made)
    yield from _of_engine(made)
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
    for form in _unmeasured(made):
        yield f"no products in {form.name} were measured on {gpu.name}"
    if isinstance(gpu, Measured) and gpu.notes:
        yield f"when {gpu.name} was measured: {gpu.notes}"
    if gpu.confidence == "low":
        yield f"the datasheet rates of {gpu.name} are uncertain"


def _of_engine(made: "Deployment") -> Iterator[str]:
    engine, family = made.engine, step.family(made.gpu)
    if engine.families and unseen(made):
        yield (
            f"{engine.name} was measured on {', '.join(engine.families)}, not on "
            f"{family.name}: wider interval"
        )


def _lacking(made: "Deployment") -> list[Format]:
    """The formats of weights in which the datasheet has no rate."""
    forms = dict.fromkeys([made.numbers.linear, made.numbers.experts])
    return [form for form in forms if step.lacks(made.gpu, form)]


def _unmeasured(made: "Deployment") -> list[Format]:
    """The formats of weights for which a measured machine has no kernels."""
    if not isinstance(made.gpu, Measured):
        return []
    forms = dict.fromkeys([made.numbers.linear, made.numbers.experts])
    return [form for form in forms if form.name not in made.gpu.kernels]


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
    if made.plan.ep > 1:
        yield "groups of experts count as loaded alike; the busiest sets the pace"
