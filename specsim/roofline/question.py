"""The question, resolved and checked: model, GPU, plan, formats of numbers."""

import operator
from typing import Any

from specsim.errors import Bad
from specsim.roofline import engines, fit, names, precisions, step
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.engines import ENGINES, Engine
from specsim.roofline.formats import FORMATS, MADE, Format
from specsim.roofline.operation import Numbers
from specsim.roofline.plan import Plan

LARGEST = 10**9


def deploy(
    model: str | Model,
    gpu: str | Gpu,
    *,
    gpus: int | None = None,
    plan: Plan | None = None,
    weights: str | None = None,
    kv: str | None = None,
    engine: str = "typical",
    batch: int = 1,
    context: int = 2048,
) -> Deployment:
    """Names looked up and numbers checked; Bad names the one at fault.

    gpus: tensor parallel over so many; plan: any other way. With neither the least
    tensor parallelism that holds `batch` sequences of `context` tokens.
    """
    row = model if isinstance(model, Model) else names.model(model)
    card = gpu if isinstance(gpu, Gpu) else names.gpu(gpu)
    rows = stored(row, weights, kv), profile(engine)
    if weights is not None and rows[0].experts != form("weights", row.native_dtype):
        _computable(card, rows[0].experts)
    made = Deployment(row, card, plan or Plan(), *rows)
    whole("batch", batch), whole("context", context)
    if plan is not None:
        if gpus is not None and gpus != plan.gpus:
            raise Bad(f"gpus {gpus}: the plan takes {plan.gpus} ({plan})")
        return fit.checked(made)
    if gpus is None:
        return fit.least(made, batch, context)
    return fit.checked(fit.over(made, whole("gpus", gpus)))


def stored(model: Model, weights: str | None, kv: str | None) -> Numbers:
    """Formats of weights and cache; None is the model's own, and 16 bits.

    A mixture whose own format is a 4-bit one keeps all but its experts in 16 bits.
    """
    chosen = form("weights", weights or model.native_dtype)
    linear = chosen
    if weights is None and model.moe_experts and chosen.bytes < 1:
        linear = FORMATS["bf16"]
    wide = "fp32" if chosen.name == "fp32" else "bf16"
    return Numbers(linear, chosen, form("kv", kv or wide))


def _computable(gpu: Gpu, wanted: Format) -> None:
    """Bad for 4-bit floats on a GPU that has no arithmetic for them.

    Checkpoints that come so are widened there, and priced with a note.
    """
    if wanted.peak == "fp4_tflops" and step.lacks(gpu, wanted):
        raise Bad(
            f"weights {wanted.name}: {gpu.name} has no fp4 arithmetic; take int4, "
            "which any GPU widens, or one that has it, such as B200"
        )


def form(what: str, words: str) -> Format:
    """The number format of these words; Bad lists what is understood."""
    found = precisions.form(words.strip().lower()) if isinstance(words, str) else None
    if found is None:
        kinds = ", ".join(row.name for row in MADE)
        raise Bad(
            f"{what} {words!r}: choose from {kinds}, a kind of llama.cpp's files "
            "(q4_k_m, q8_0, iq4_xs ...) or words like AWQ, GPTQ-Int8, 4.0bpw"
        )
    return found


def profile(words: str) -> Engine:
    """The profile of that engine; Bad lists all."""
    found = engines.named(words) if isinstance(words, str) else None
    if found is None:
        raise Bad(f"engine {words!r}: choose from {', '.join(ENGINES)}")
    return found


def whole(name: str, value: int) -> int:
    """A whole number from 1 to a billion."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= LARGEST:
        raise Bad(f"{name} {value!r}: give a whole number from 1 to {LARGEST:,}")
    return number


def plan(
    gpus: int | None, tp: int | None, pp: int | None, ep: int | None, dp: int | None
) -> dict[str, Any]:
    """The keywords `gpus` and `plan` of `deploy`, from the degrees a person gave.

    >>> plan(None, 8, None, None, None)
    {'gpus': 8, 'plan': None}
    """
    if gpus is not None and tp is not None and gpus != tp:
        raise Bad(f"gpus {gpus} and tp {tp}: they mean the same; give one of them")
    tp = gpus if tp is None else tp
    if pp is ep is dp is None:
        return {"gpus": tp, "plan": None}
    given = {"tp": tp, "pp": pp, "ep": ep, "dp": dp}
    degrees = {name: whole(name, 1 if n is None else n) for name, n in given.items()}
    return {"gpus": None, "plan": Plan(**degrees)}
