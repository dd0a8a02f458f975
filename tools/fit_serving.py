"""Fits what engines and mixtures cost beyond kernel tables to served requests.

    python -m tools.fit_serving

Prints the constants of `engines.ENGINES`, `hardware.FAMILIES` (mixture_us),
`formats.BLOCKS_US` and `constants.EXPERT_COMPUTE`, and how far predictions are off: in
all, by model, and for each model, and each engine on each GPU, with constants fitted to
the others. Eight constants for the time per token, twelve for that of the first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from specsim.roofline import served, step
from specsim.roofline.constants import EXPERT_COMPUTE
from specsim.roofline.deployment import Deployment, Pass
from specsim.roofline.engines import ENGINES, Engine
from specsim.roofline.formats import BLOCKS_US
from specsim.roofline.hardware import FAMILIES
from specsim.roofline.served import Load, Passes
from tools.serving_rows import Row, distinct, rows

Vector = NDArray[np.float64]
Constants = Mapping[str, float]

NAMES = "vllm", "sglang", "trtllm"
MIXED = "Hopper", "Blackwell"
TOKEN = (
    *(f"mixture_us {family}" for family in MIXED),
    "expert_compute",
    "blocks_us",
    *(f"step_us {engine}" for engine in NAMES),
    "sequence_us",
)
FIRST = (
    *(f"steps {engine}" for engine in NAMES),
    *(f"layer_ms {engine}" for engine in NAMES),
    "request_ms sglang",
    "family_ms trtllm",
    "gather trtllm",
    "ahead_ms",
    "token_us",
    "latent",
)
TIGHT = 0.03
"""Errors well below this no longer count for less: the fit is nearly one of means."""


@dataclass(frozen=True)
class Group:
    """The rows of one deployment, its passes, and what was measured (seconds)."""

    rows: tuple[Row, ...]
    deployment: Deployment
    load: Load
    passes: Passes
    both: Pass
    ttft: Vector
    tpot: Vector


def grouped(chosen: Sequence[Row]) -> list[Group]:
    """Rows of one deployment together."""
    held: dict[Deployment, list[Row]] = {}
    for row in chosen:
        held.setdefault(row.question.deployment, []).append(row)
    return [_group(made, members) for made, members in held.items()]


def _group(made: Deployment, members: Sequence[Row]) -> Group:
    names = "batch", "isl", "osl", "apart", "drafts", "accepted", "held"
    asked = [row.question for row in members]
    amounts: dict[str, Any] = {
        name: np.array([getattr(each, name) for each in asked]) for name in names
    }
    load = Load(**amounts)
    passes = served.passes(made, load)
    both = made.run(*passes.decode.works, *passes.first.works)
    ttft, tpot = np.array([(r.ttft_ms, r.tpot_ms) for r in members]).T / 1e3
    return Group(tuple(members), made, load, passes, both, ttft, tpot)


def now() -> dict[str, float]:
    """The constants in the code."""
    mixture = {f"mixture_us {row.name}": row.mixture_us for row in FAMILIES}
    held = {"expert_compute": EXPERT_COMPUTE, "blocks_us": BLOCKS_US} | mixture
    for name in NAMES:
        engine = ENGINES[name]
        held[f"step_us {name}"] = engine.step_us[1]
        held[f"steps {name}"] = engine.intake.steps
        held[f"layer_ms {name}"] = engine.intake.layer_ms
    held["request_ms sglang"] = ENGINES["sglang"].intake.request_ms
    held["family_ms trtllm"] = ENGINES["trtllm"].intake.family_ms["Hopper"]
    held["gather trtllm"] = ENGINES["trtllm"].intake.gather
    every = ENGINES["vllm"].intake
    held["sequence_us"] = ENGINES["vllm"].sequence_us[1]
    names = "ahead_ms", "token_us", "latent"
    return held | {name: getattr(every, name) for name in names}


def engine(row: Engine, given: Constants) -> Engine:
    """An engine with these constants."""
    name = row.name
    intake: dict[str, Any] = {
        field: given[key]
        for field in ("steps", "layer_ms", "request_ms", "gather")
        if (key := f"{field} {name}") in given
    }
    intake |= {field: given[field] for field in ("ahead_ms", "token_us", "latent")}
    more = {"Hopper": given["family_ms trtllm"]} if name == "trtllm" else {}
    made = replace(row.intake, **intake, family_ms=more)
    step_us, sequence_us = list(row.step_us), list(row.sequence_us)
    step_us[1], sequence_us[1] = given[f"step_us {name}"], given["sequence_us"]
    return replace(
        row,
        intake=made,
        step_us=(step_us[0], step_us[1], step_us[2]),
        sequence_us=(sequence_us[0], sequence_us[1], sequence_us[2]),
    )


def kernels(one: Pass, given: Constants) -> Any:
    """Seconds of a pass's kernels with these constants instead of the code's."""
    was, gpu = now(), one.deployment.gpu
    family = f"mixture_us {step.family(gpu).name}"
    seconds: Any = 0.0
    for each in one.timed:
        op, fixed, compute = each.op, each.fixed, each.compute
        if op.format.kernel_us == BLOCKS_US and op.kind in ("product", "experts"):
            launched = 2 if op.kind == "experts" else 1
            fixed += launched * 1e-6 * (given["blocks_us"] - BLOCKS_US)
        if op.kind == "experts":
            fixed += 1e-6 * (given.get(family, was[family]) - was[family])
            compute = compute * EXPERT_COMPUTE / given["expert_compute"]
        seconds = seconds + replace(each, fixed=fixed, compute=compute).seconds
    return seconds


def predicted(group: Group, given: Constants) -> tuple[Vector, Vector]:
    """Seconds to the first token, and per token, with these constants."""
    made = replace(group.deployment, engine=engine(group.deployment.engine, given))
    passes = group.passes
    decode: Any = _Given(kernels(passes.decode, given), made, passes.running)
    first: Any = _Given(kernels(passes.first, given), made, passes.running)
    added = (kernels(group.both, given) - decode.kernels_s) / made.plan.dp
    added = np.where(group.load.apart, 0.0, added)
    pieces = replace(passes, decode=decode, first=first, added_s=added)
    one = served.assembled(made, group.load, pieces)
    return one.ttft_s, one.tpot_s


@dataclass(frozen=True)
class _Given:
    """A pass of so many seconds of kernels."""

    kernels_s: Any
    deployment: Deployment
    batch: Any

    @property
    def seconds(self) -> Any:
        """With the host's expected time."""
        engine, dp = self.deployment.engine, self.deployment.plan.dp
        each = engine.sequence_us[1] * self.batch / dp
        return self.kernels_s + 1e-6 * (engine.step_us[1] + each)

    low_s = high_s = seconds


def ratios(groups: Sequence[Group], given: Constants) -> tuple[Vector, Vector]:
    """Predicted over measured: first token, and per token."""
    pairs = [
        (ttft / group.ttft, tpot / group.tpot)
        for group in groups
        for ttft, tpot in [predicted(group, given)]
    ]
    first, each = zip(*pairs, strict=True)
    return np.concatenate(first), np.concatenate(each)


def fitted(chosen: Sequence[Row]) -> dict[str, float]:
    """The constants of least error, time per token first."""
    groups = grouped(distinct(chosen))
    given = now()
    given |= _least(lambda some: ratios(groups, given | some)[1], TOKEN, given)
    given |= _least(lambda some: ratios(groups, given | some)[0], FIRST, given)
    return given


def _least(
    off: Callable[[dict[str, float]], Vector], names: Sequence[str], start: Constants
) -> dict[str, float]:
    """Near to a least mean absolute relative error, held lightly to the start."""
    base = np.array([start[name] for name in names])

    def constants(powers: Vector) -> dict[str, float]:
        return dict(zip(names, base * np.exp(powers), strict=True))

    def residuals(powers: Vector) -> Vector:
        error = off(constants(powers)) - 1
        return np.append(error / np.sqrt(np.abs(error) + TIGHT), 0.3 * powers)

    found = least_squares(residuals, np.zeros(len(base)), diff_step=0.02, max_nfev=25)
    return constants(found.x)


def report(chosen: Sequence[Row], given: Constants) -> Iterator[str]:
    """Mean absolute error and bias, in per cent: all, and by model, engine and GPU."""
    groups = grouped(chosen)
    first, each = ratios(groups, given)
    ordered = [row for group in groups for row in group.rows]
    yield f"{'':44}{'rows':>5}{'token':>7}{'bias':>7}{'first':>7}{'bias':>7}"
    for label, picked in _labels(ordered).items():
        at = np.array(picked)
        yield f"{label:44}{len(at):5}{_errors(each[at])}{_errors(first[at])}"


def _labels(ordered: Sequence[Row]) -> dict[str, list[int]]:
    held: dict[str, list[int]] = {}
    for at, row in enumerate(ordered):
        made = row.question.deployment
        kind = "mixtures" if made.model.moe_experts else "dense"
        for label in ("all", kind, f"{row.model} {made.gpu.name} {row.engine}"):
            held.setdefault(label, []).append(at)
    return held


def _errors(ratio: Vector) -> str:
    error = 100 * (ratio - 1)
    return f"{np.mean(np.abs(error)):7.1f}{np.mean(error):+7.1f}"


def left_out(
    chosen: Sequence[Row], key: Callable[[Row], str]
) -> Iterator[tuple[str, Vector, Vector]]:
    """For each value of key the ratios of its rows, with constants of the others."""
    for value in dict.fromkeys(map(key, chosen)):
        given = fitted([row for row in chosen if key(row) != value])
        first, each = ratios(grouped([r for r in chosen if key(r) == value]), given)
        yield value, first, each


def main() -> None:
    """Print everything."""
    every = rows()
    sound = [row for row in every if not row.doubt]
    given = fitted(sound)
    for name in TOKEN + FIRST:
        print(f"{name:24}{given[name]:10.3g}   in the code {now()[name]:.3g}")
    shown = ("rows without a doubt", sound), ("all rows", every)
    for title, chosen in shown:
        print(f"\n{title}, constants of the code")
        print("\n".join(report(chosen, now())))
    ways: tuple[tuple[str, Callable[[Row], str]], ...] = (
        ("model", lambda row: row.model),
        ("engine and GPU", lambda r: f"{r.engine} {r.question.deployment.gpu.name}"),
    )
    for title, key in ways:
        print(f"\neach {title} left out")
        parts = list(left_out(sound, key))
        first, each = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
        for label, one, other in [*parts, ("all", first, each)]:
            print(f"{label:44}{len(other):5}{_errors(other)}{_errors(one)}")


if __name__ == "__main__":
    main()
