"""One decode step of a model on GPUs: does it fit, how long, and what binds.

The interval: a sum of kernels is good to the spread of its GPU family (0.9 to 1.2 times
for measured ones), of its weight format and of what is only approximated; the host adds
what the engine's row says. The spreads were set on public batch-1 measurements of dense
16-bit models on A100 and H100 (compiled loops, LMDeploy, vLLM, SGLang; neither eager
loops nor llama.cpp); a test holds the typical interval to 90 % of a sample of them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specsim.errors import Bad
from specsim.roofline import communication, costs, doubts, fit, step
from specsim.roofline.case import Case, case, whole
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.constants import Spread
from specsim.roofline.step import Timed


@dataclass(frozen=True)
class Prediction:
    """A step's time in milliseconds, and totals over all GPUs: bytes and FLOPs.

    gpus:  the degree of tensor parallelism predicted for.
    timed: the operations of one GPU, with their seconds.
    """

    case: Case
    gpus: int
    timed: tuple[Timed, ...]

    @cached_property
    def min_gpus(self) -> int | None:
        """The least that hold weights and cache, None if no allowed number does."""
        return fit.least(self.case)

    @property
    def fits(self) -> bool:
        """Whether weights, cache and runtime fit into the memory of `gpus`."""
        return fit.spare_bytes(self.case, self.gpus) >= 0

    @cached_property
    def kernels_ms(self) -> float:
        """The sum of all kernels."""
        return 1000 * float(step.total(self.timed))

    @property
    def step_ms(self) -> float:
        """The expected step: kernels and host."""
        return self.kernels_ms + self.host_ms[1]

    @property
    def low_ms(self) -> float:
        """Where most measured steps begin; never less than the ideal."""
        return max(self.ideal_ms, self.spread.low * self.kernels_ms + self.host_ms[0])

    @property
    def high_ms(self) -> float:
        """Where most measured steps end."""
        return self.spread.high * self.kernels_ms + self.host_ms[2]

    @cached_property
    def ideal_ms(self) -> float:
        """The step at datasheet rates, nothing but weights, cache and FLOPs."""
        return 1000 * float(step.ideal([t.op for t in self.timed], self.case.gpu))

    @property
    def tokens_per_s(self) -> float:
        """Of all sequences together."""
        return 1000 * self.case.batch / self.step_ms

    @property
    def host_ms(self) -> tuple[float, float, float]:
        """Host time: low, expected, high."""
        engine, batch = self.case.engine, self.case.batch
        pairs = zip(engine.host_us, engine.per_sequence_us, strict=True)
        low, expected, high = ((us + batch * each) / 1000 for us, each in pairs)
        return low, expected, high

    @property
    def spread(self) -> Spread:
        """How far kernels may be off, all doubts together."""
        return doubts.spread(self.case)

    @cached_property
    def shares_ms(self) -> dict[str, float]:
        """The expected step by what it goes to: `step.BOUNDS`, and host."""
        parts = step.shares(self.timed)
        kernels = {name: 1000 * float(part) for name, part in parts.items()}
        return kernels | {"host": self.host_ms[1]}

    @property
    def bound(self) -> str:
        """What most of the expected step goes to."""
        return step.largest(self.shares_ms)

    @property
    def weight_bytes(self) -> float:
        """All weights, once: what the GPUs hold between them."""
        return costs.weight_bytes(self.case.model, self.case.numbers)

    @cached_property
    def streamed_bytes(self) -> float:
        """Weights one step reads: no input embedding, only the experts chosen.

        What tensor parallelism keeps whole on each GPU counts once for each.
        """
        return self.gpus * float(sum(t.op.count * t.op.weights for t in self.timed))

    @cached_property
    def kv_bytes(self) -> float:
        """The cache of the batch, all of which one step reads, copies included."""
        return self.gpus * float(sum(t.op.count * t.op.cache for t in self.timed))

    @cached_property
    def flops(self) -> float:
        """Floating-point operations of one step."""
        return self.gpus * float(sum(t.op.count * t.op.flops for t in self.timed))

    @property
    def notes(self) -> list[str]:
        """What the reader should know before believing it."""
        return list(doubts.notes(self.case, self.gpus))

    def as_dict(self) -> dict[str, Any]:
        """What `specsim roofline --json` prints; ops hold all launches of a step."""
        asked, numbers = self.case, self.case.numbers
        return {
            "model": asked.model.hf_id,
            "gpu": asked.gpu.name,
            "gpus": self.gpus,
            "min_gpus": self.min_gpus,
            "fits": self.fits,
            "batch": asked.batch,
            "context": asked.context,
            "weights": numbers.experts.name,
            "kv": numbers.kv.name,
            "engine": asked.engine.name,
            **{name: getattr(self, name) for name in _TIMES},
            **{name: round(getattr(self, name)) for name in _TOTALS},
            "ops": [_op(each, self.gpus) for each in self.timed],
            "notes": self.notes,
        }


_TIMES = (
    "step_ms", "low_ms", "high_ms", "ideal_ms", "tokens_per_s", "bound", "shares_ms",
)  # fmt: skip
_TOTALS = "weight_bytes", "streamed_bytes", "kv_bytes", "flops"


def _op(each: Timed, gpus: int) -> dict[str, Any]:
    op = each.op
    return {
        "name": op.name,
        "count": op.count,
        "bytes": round(gpus * op.count * op.bytes),
        "flops": round(gpus * op.count * op.flops),
        "ms": 1000 * float(each.seconds),
        "bound": each.bound,
    }


def predict(
    model: str | Model,
    gpu: str | Gpu,
    *,
    gpus: int | None = None,
    batch: int = 1,
    context: int = 2048,
    weights: str | None = None,
    kv: str | None = None,
    engine: str = "typical",
) -> Prediction:
    """Predict one decode step; gpus None means the least that fit.

    context: tokens cached per sequence. weights, kv: a name of `constants.FORMATS`; by
    default the model's own, and 16 bits. gpus is the degree of tensor parallelism; too
    few make a hypothetical prediction, with fits False. Bad on anything unusable.

    >>> predict("70b", "a100").min_gpus
    2
    """
    asked = case(model, gpu, batch, context, weights, kv, engine)
    return divided(asked, _least(asked) if gpus is None else _allowed(asked, gpus))


def divided(asked: Case, gpus: int) -> Prediction:
    """The step of a case on so many GPUs."""
    ops = costs.step(asked.model, asked.batch, asked.context, gpus, asked.numbers)
    group = communication.group(asked.gpu, gpus)
    return Prediction(asked, gpus, tuple(step.timed(ops, asked.gpu, group)))


def _least(asked: Case) -> int:
    if (least := fit.least(asked)) is None:
        raise Bad(
            f"{_what(asked)}: does not fit on {_ways(asked)}, the ways it can be "
            "divided; take a larger GPU, fewer bytes a weight, or force it with --gpus"
        )
    return least


def _allowed(asked: Case, gpus: int) -> int:
    if (count := whole("gpus", gpus)) not in fit.degrees(asked):
        raise Bad(
            f"gpus {count}: {_what(asked)} can be divided over {_ways(asked)} only"
        )
    return count


def _what(asked: Case) -> str:
    return f"{asked.model.name} in {asked.numbers.experts.name} on {asked.gpu.name}"


def _ways(asked: Case) -> str:
    *most, last = map(str, fit.degrees(asked))
    return f"{', '.join(most)} or {last} GPUs" if most else f"{last} GPU"
