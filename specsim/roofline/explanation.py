"""Where every number of a prediction comes from, in words."""

import textwrap
from collections.abc import Iterator

from specsim.roofline import step
from specsim.roofline.catalog import Gpu
from specsim.roofline.formats import Format
from specsim.roofline.hardware import Family
from specsim.roofline.lettering import figure
from specsim.roofline.measured import Measured
from specsim.roofline.operation import Op
from specsim.roofline.prediction import Prediction
from specsim.roofline.step import Timed

WIDTH = 100


def lines(made: Prediction) -> list[str]:
    """A table of operations, the derivation of each, and every constant's source."""
    told = [*_derivations(made), "", *_constants(made)]
    return [*_table(made), "", *(part for line in told for part in _wrapped(line))]


def _wrapped(line: str) -> list[str]:
    """The line in `WIDTH` columns; what goes on below is indented."""
    return textwrap.wrap(
        line,
        WIDTH,
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _table(made: Prediction) -> Iterator[str]:
    """A GPU's bytes and FLOPs of a step, and their time."""
    yield "one step of one GPU:"
    yield f"{'operation':20}{'count':>6}{'MB':>14}{'GFLOP':>14}{'ms':>12}  bound"
    for each in made.step.timed:
        op, ms = each.op, 1000 * float(each.seconds)
        moved, done = op.count * float(op.bytes), op.count * float(op.flops)
        yield (
            f"{op.name:20}{op.count:6,}{moved / 1e6:14,.1f} {done / 1e9:13,.2f}"
            f" {ms:11,.3f}  {each.bound}"
        )
    yield f"{'host':20}{1:6}{'':28}{made.shares_ms['host']:12,.3f}"


def _derivations(made: Prediction) -> Iterator[str]:
    gpu = made.deployment.gpu
    yield "one launch of each, on one GPU:"
    for each in made.step.timed:
        said = _message(each) if each.op.wire else _kernel(each, gpu)
        total = 1000 * float(each.seconds)
        launches = "1 launch" if each.op.count == 1 else f"{each.op.count:,} launches"
        yield f"  {each.op.name}: {said}; {launches}: {total:,.3f} ms"
    host = made.shares_ms["host"]
    yield f"  host: {figure(host, 3)} ms more, once; all of it: {made.step_ms:,.3f} ms"


def _message(each: Timed) -> str:
    size, taken = float(each.op.message), 1e6 * float(each.communication)
    return f"{figure(size / 1e3, 4)} KB between the GPUs take {figure(taken, 3)} us"


def _kernel(each: Timed, gpu: Gpu) -> str:
    """The formula of `step` with its numbers put in."""
    rate = gpu.mem_bw_gbs * 1e9
    op, memory, compute = each.op, float(each.memory), float(each.compute)
    reached = float(op.bytes) / memory / rate
    said = f"{_bytes(op)} at {reached:.0%} of {figure(rate / 1e9, 4)} GB/s = "
    said += _us(memory)
    work = memory
    if unpacking := float(each.unpacking):
        work = float(each.work)
        said += f", unpacking {_us(unpacking)}"
    if compute:
        work = float(each.work)
        done = float(step.executed(op, gpu))
        speed = done / compute / 1e12
        said += f", {figure(done / 1e9, 4)} GFLOP at {figure(speed, 4)} TFLOP/s = "
        said += f"{_us(compute)}, together {_us(work)} (root of the sum of squares)"
    return f"{said}, after {_us(float(each.fixed))}: {_us(work + float(each.fixed))}"


def _bytes(op: Op) -> str:
    parts = {"weights": op.weights, "cache": op.cache, "activations": op.moved}
    found = [(name, float(part)) for name, part in parts.items() if float(part) > 0]
    return " + ".join(f"{figure(size / 1e6, 4)} MB of {name}" for name, size in found)


def _us(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{figure(1e6 * seconds, 3)} us"
    return f"{figure(1e3 * seconds, 4)} ms"


def _constants(made: Prediction) -> Iterator[str]:
    """Every constant used, and where it comes from."""
    case, gpu = made.deployment, made.deployment.gpu
    link = case.groups["all-reduce"]
    low, high = case.spread.low, case.spread.high
    yield f"{gpu.name}: {figure(gpu.mem_bw_gbs, 5)} GB/s. {gpu.source}"
    yield from _kernels(gpu, case.numbers.experts)
    if case.plan.tp > 1:
        yield (
            f"{link.link.name} all-reduce: {link.alpha_s * 1e6:.3g} us + bytes at "
            f"{figure(link.bytes_per_s / 1e9, 4)} GB/s. {link.link.source}"
        )
    if case.model.moe_experts:
        more = step.family(gpu).mixture_us
        yield f"mixtures: +{more} us a layer for routing and permutation"
    host = made.shares_ms["host"]
    yield f"{case.engine.name} engine: {figure(host, 3)} ms. {case.engine.source}"
    yield f"interval: {low:.2f} to {high:.2f} times the kernels, and the host's range"
    yield f"{case.model.name}: {case.model.source}"


def _kernels(gpu: Gpu, form: Format) -> Iterator[str]:
    """Of the family and what a format adds to it; or all of it, where measured."""
    if isinstance(gpu, Measured) and form.name in gpu.kernels:
        how = gpu.kernels[form.name]
        yield f"{_family(how)}, {_factors(how)}. {how.source}"
        return
    how = step.family(gpu)
    yield f"{_family(how)}. {how.source}"
    unpacked = f", {form.unpack:g} instructions to unpack" if form.unpack else ""
    yield (
        f"{form.name}: {form.bytes:.4g} bytes{unpacked}, +{form.kernel_us} us, "
        f"bandwidth x {form.bandwidth}. {form.source}"
    )


def _family(how: Family) -> str:
    return (
        f"{how.name} family: products {how.kernel_us:.3g} us + bytes at "
        f"{how.bandwidth:.0%}, attention {how.attention_us:.3g} us + "
        f"{how.attention_bandwidth:.0%}, small ops {how.small_us:.3g} us, FLOPs at "
        f"{how.compute:.0%}"
    )


def _factors(how: Family) -> str:
    said = ", ".join(f"{tokens:g}: {factor:.2f}" for tokens, factor in how.factors)
    return f"products of so many tokens times {said}"
