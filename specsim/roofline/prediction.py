"""One decode step of a model on GPUs: does it fit, how long, and what binds.

The interval: a sum of kernels is good to the spread of its GPU family (0.9 to 1.2 times
for measured ones), of its weight format and of what is only approximated; the host adds
what the engine's row says. A test holds it to nine in ten of the measured rows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specsim.roofline import costs, doubts, fit, step
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.deployment import Deployment, Pass
from specsim.roofline.plan import Plan
from specsim.roofline.question import deploy, whole
from specsim.roofline.work import Work


@dataclass(frozen=True)
class Prediction:
    """A step's time in milliseconds, and totals over all GPUs: bytes and FLOPs."""

    deployment: Deployment
    batch: int
    context: int

    @cached_property
    def step(self) -> Pass:
        """The pass: one new token of each sequence."""
        return self.deployment.run(Work(self.batch, 1, self.context))

    @property
    def gpus(self) -> int:
        """How many the plan takes."""
        return self.deployment.plan.gpus

    @cached_property
    def min_gpus(self) -> int | None:
        """The least that hold weights and cache, None if no allowed number does."""
        return fit.least_gpus(self.deployment, self.batch, self.context)

    @cached_property
    def spare_bytes(self) -> float:
        """Memory left on all GPUs together; negative where it does not fit."""
        return float(fit.spare_bytes(self.deployment, self.batch, self.context))

    @property
    def fits(self) -> bool:
        """Whether weights, cache and runtime fit into the memory of `gpus`."""
        return self.spare_bytes >= 0

    @cached_property
    def step_ms(self) -> float:
        """The expected step: kernels and host."""
        return 1000 * float(self.step.seconds)

    @property
    def low_ms(self) -> float:
        """Where most measured steps begin; never less than the ideal."""
        return 1000 * float(self.step.low_s)

    @property
    def high_ms(self) -> float:
        """Where most measured steps end."""
        return 1000 * float(self.step.high_s)

    @cached_property
    def ideal_ms(self) -> float:
        """The step at datasheet rates, nothing but weights, cache and FLOPs."""
        return 1000 * float(self.step.ideal_s)

    @property
    def tokens_per_s(self) -> float:
        """Of all sequences together."""
        return 1000 * self.batch / self.step_ms

    @cached_property
    def shares_ms(self) -> dict[str, float]:
        """The expected step by what it goes to: `step.BOUNDS`, and host."""
        shares = self.step.shares_s.items()
        return {name: 1000 * float(part) for name, part in shares}

    @property
    def bound(self) -> str:
        """What most of the expected step goes to."""
        return step.largest(self.shares_ms)

    @property
    def weight_bytes(self) -> float:
        """All weights, once: what the GPUs hold between them."""
        return costs.weight_bytes(self.deployment.model, self.deployment.numbers)

    @cached_property
    def streamed_bytes(self) -> float:
        """Weights one step reads: no input embedding, only the experts chosen."""
        return float(self.step.totals("weights"))

    @cached_property
    def kv_bytes(self) -> float:
        """The cache of the batch, all of which one step reads, copies included."""
        return float(self.step.totals("cache"))

    @cached_property
    def flops(self) -> float:
        """Floating-point operations of one step."""
        return float(self.step.totals("flops"))

    @property
    def notes(self) -> list[str]:
        """What the reader should know before believing it."""
        unfit = [] if self.fits else ["it does not fit: what follows is hypothetical"]
        return [*unfit, *doubts.notes(self.deployment, self.context)]

    def as_dict(self) -> dict[str, Any]:
        """What `specsim roofline --json` prints; ops hold all launches of a step."""
        made = self.deployment
        return {
            "model": made.model.hf_id,
            "gpu": made.gpu.name,
            "gpus": self.gpus,
            "min_gpus": self.min_gpus,
            "fits": self.fits,
            "batch": self.batch,
            "context": self.context,
            "weights": made.numbers.experts.name,
            "kv": made.numbers.kv.name,
            "engine": made.engine.name,
            **{name: getattr(self, name) for name in _TIMES},
            **{name: round(getattr(self, name)) for name in _TOTALS},
            "ops": [_op(each, float(self.step.copies)) for each in self.step.timed],
            "notes": self.notes,
        }


_TIMES = (
    "step_ms", "low_ms", "high_ms", "ideal_ms", "tokens_per_s", "bound", "shares_ms",
)  # fmt: skip
_TOTALS = "weight_bytes", "streamed_bytes", "kv_bytes", "flops"


def _op(each: step.Timed, copies: float) -> dict[str, Any]:
    op = each.op
    return {
        "name": op.name,
        "count": op.count,
        "bytes": round(copies * op.count * op.bytes),
        "flops": round(copies * op.count * op.flops),
        "ms": 1000 * float(each.seconds),
        "bound": each.bound,
    }


def predict(
    model: str | Model,
    gpu: str | Gpu,
    *,
    gpus: int | None = None,
    plan: Plan | None = None,
    batch: int = 1,
    context: int = 2048,
    weights: str | None = None,
    kv: str | None = None,
    engine: str = "typical",
) -> Prediction:
    """Predict one decode step; gpus None means the least that fit.

    context: tokens cached per sequence. weights, kv: a name of `formats.FORMATS`; by
    default the model's own, and 16 bits. gpus is the degree of tensor parallelism, plan
    any other division; too few make a hypothetical prediction, with fits False. Bad on
    anything unusable.

    >>> predict("70b", "a100").min_gpus
    2
    """
    made = deploy(
        model,
        gpu,
        gpus=gpus,
        plan=plan,
        weights=weights,
        kv=kv,
        engine=engine,
        batch=whole("batch", batch),
        context=whole("context", context),
    )
    return Prediction(made, batch, context)
