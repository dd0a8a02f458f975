"""Where every number of a prediction comes from, in words."""

from collections.abc import Iterator

from specsim.roofline import step
from specsim.roofline.constants import MOE_US
from specsim.roofline.costs import Op
from specsim.roofline.prediction import Prediction
from specsim.roofline.step import Timed


def lines(made: Prediction) -> list[str]:
    """A table of operations, the derivation of each, and every constant's source."""
    return [*_table(made), "", *_derivations(made), "", *_constants(made)]


def _table(made: Prediction) -> Iterator[str]:
    """A GPU's bytes and FLOPs of a step, and their time."""
    yield f"{'operation':20}{'count':>6}{'MB':>12}{'GFLOP':>11}{'ms':>10}  bound"
    for each in made.step.timed:
        op, ms = each.op, 1000 * float(each.seconds)
        moved, done = op.count * float(op.bytes), op.count * float(op.flops)
        yield (
            f"{op.name:20}{op.count:6,}{moved / 1e6:12,.1f}{done / 1e9:11,.2f}"
            f"{ms:10.3f}  {each.bound}"
        )
    yield f"{'host':20}{1:6}{'':23}{made.shares_ms['host']:10.3f}"


def _derivations(made: Prediction) -> Iterator[str]:
    rate = made.deployment.gpu.mem_bw_gbs * 1e9
    yield "one launch of each, on one GPU:"
    for each in made.step.timed:
        said = _message(each) if each.op.wire else _kernel(each, rate)
        total = 1000 * float(each.seconds)
        yield f"  {each.op.name}: {said}; {each.op.count:,} launches: {total:.3f} ms"
    host = made.shares_ms["host"]
    yield f"  host: {host:.3g} ms more, once; all of it: {made.step_ms:.3f} ms"


def _message(each: Timed) -> str:
    size, taken = float(each.op.message), 1e6 * float(each.communication)
    return f"{size / 1e3:,.4g} KB between the GPUs take {taken:.3g} us"


def _kernel(each: Timed, rate: float) -> str:
    """The formula of `step` with its numbers put in."""
    op, memory, compute = each.op, float(each.memory), float(each.compute)
    reached = float(op.bytes) / memory / rate
    said = f"{_bytes(op)} at {reached:.0%} of {rate / 1e9:,.4g} GB/s = {_us(memory)}"
    work = memory
    if compute:
        work = float(each.work)
        speed = float(op.tiled) / compute / 1e12
        said += f", {float(op.tiled) / 1e9:,.4g} GFLOP at {speed:,.4g} TFLOP/s = "
        said += f"{_us(compute)}, both in {_us(work)} (root of the sum of squares)"
    return f"{said}, after {_us(float(each.fixed))}: {_us(work + float(each.fixed))}"


def _bytes(op: Op) -> str:
    parts = {"weights": op.weights, "cache": op.cache, "activations": op.moved}
    found = [(name, float(part)) for name, part in parts.items() if float(part) > 0]
    return " + ".join(f"{size / 1e6:,.4g} MB of {name}" for name, size in found)


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:,.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:,.4g} ms"


def _constants(made: Prediction) -> Iterator[str]:
    """Every constant used, and where it comes from."""
    case, how = made.deployment, step.family(made.deployment.gpu)
    gpu, form, link = case.gpu, case.numbers.experts, case.groups["all-reduce"]
    low, high = case.spread.low, case.spread.high
    yield f"{gpu.name}: {gpu.mem_bw_gbs:,.5g} GB/s. {gpu.source}"
    yield (
        f"{how.name} family: products {how.kernel_us} us + bytes at {how.bandwidth:.0%}"
        f", attention {how.attention_us} us + {how.attention_bandwidth:.0%}, small ops "
        f"{how.small_us} us, FLOPs at {how.compute:.0%}. {how.source}"
    )
    yield (
        f"{form.name}: {form.bytes:.4g} bytes, +{form.kernel_us} us, bandwidth x "
        f"{form.bandwidth}. {form.source}"
    )
    if case.plan.tp > 1:
        yield (
            f"{link.link.name} all-reduce: {link.alpha_s * 1e6:.3g} us + bytes at "
            f"{link.bytes_per_s / 1e9:,.4g} GB/s. {link.link.source}"
        )
    if case.model.moe_experts:
        yield f"mixtures: +{MOE_US} us a layer for routing and permutation"
    host = made.shares_ms["host"]
    yield f"{case.engine.name} engine: {host:.3g} ms. {case.engine.source}"
    yield f"interval: {low:.2f} to {high:.2f} times the kernels, and the host's range"
    yield f"{case.model.name}: {case.model.source}"
