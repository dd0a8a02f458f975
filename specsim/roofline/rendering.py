"""A prediction for people, and why the folklore figure is wrong."""

from collections.abc import Iterator

from specsim.roofline import explanation, fit, step
from specsim.roofline.lettering import figure
from specsim.roofline.lettering import milliseconds as _ms
from specsim.roofline.prediction import Prediction


def text(made: Prediction, explain: bool = False) -> str:
    """A prediction in under 25 lines; explain adds every operation and constant."""
    lines = [*_head(made), "", *_facts(made), "", *_folklore(made)]
    lines += ["", *(f"note: {note}" for note in made.notes)] if made.notes else []
    if explain:
        lines += ["", *explanation.lines(made)]
    return "\n".join(lines)


def _head(made: Prediction) -> Iterator[str]:
    asked, numbers = made.deployment, made.deployment.numbers
    yield f"{asked.model.hf_id} on {_cards(made)}"
    yield (
        f"{numbers.experts.name} weights, {numbers.kv.name} KV cache, batch "
        f"{made.batch:,}, context {made.context:,}, {asked.engine.name} engine"
    )


def _facts(made: Prediction) -> Iterator[str]:
    yield _fact("fits", _fits(made))
    yield _fact("least", _least(made))
    yield _fact("reads", f"{_read(made)} a step")
    yield _fact("computes", _computes(made))
    yield _fact("ideal", f"{_ms(made.ideal_ms)} a step at datasheet rates")
    yield _fact("expected", f"{_ms(made.step_ms)} a step{_tokens(made)}")
    yield _fact("interval", f"{_ms(made.low_ms)} to {_ms(made.high_ms)}")
    shares = sorted(made.shares_ms.items(), key=lambda share: -share[1])
    spent = ", ".join(f"{name} {_ms(ms)}" for name, ms in shares if ms >= 0.005)
    yield _fact("bound", f"{made.bound}: {spent}")


def _fits(made: Prediction) -> str:
    spare = made.spare_bytes
    room = (
        f"{made.gpus} x {_gb(fit.usable_bytes(made.deployment.gpu, made.gpus))} usable"
    )
    weights = f"{_gb(made.weight_bytes)} of weights"
    if made.fits:
        return f"yes: {weights} on {room}, {_gb(spare)} left for more KV cache"
    return f"NO: {weights} on {room}, {_gb(-spare)} short"


def _least(made: Prediction) -> str:
    if made.min_gpus is None:
        return "no number of GPUs it can be divided over"
    usual = fit.roomy(made.deployment, made.batch, made.context)
    room = f"; {usual} leave room for KV cache" if usual not in (None, 1) else ""
    least = f"{made.min_gpus} GPU{'s' if made.min_gpus > 1 else ''}"
    return least + ("" if usual == made.min_gpus else room)


def _read(made: Prediction) -> str:
    return f"{_gb(made.streamed_bytes)} of weights and {_gb(made.kv_bytes)} of KV cache"


def _computes(made: Prediction) -> str:
    gpu, read = made.deployment.gpu, made.streamed_bytes + made.kv_bytes
    ridge = step.peak(gpu, made.deployment.numbers.linear) / (gpu.mem_bw_gbs * 1e9)
    return (
        f"{figure(made.flops / 1e9, 4)} GFLOP a step, "
        f"{figure(made.flops / read, 3)} a byte; from "
        f"{ridge:.0f} a byte on it would bind"
    )


def _tokens(made: Prediction) -> str:
    each = 1000 / made.step_ms
    batch = f" ({figure(each, 3)} a sequence)" if made.batch > 1 else ""
    return f", {figure(made.tokens_per_s, 4)} tokens/s{batch}"


def _folklore(made: Prediction) -> Iterator[str]:
    """All weights over the peak bandwidth of one card, and what is wrong with it."""
    rate = made.deployment.gpu.mem_bw_gbs
    naive = made.weight_bytes / (rate * 1e6)
    yield (
        f"Folklore: {_gb(made.weight_bytes)} / {rate / 1000:.4g} TB/s = {_ms(naive)}, "
        f"{figure(1000 / naive, 3)} tokens/s on one {made.deployment.gpu.name}. But"
    )
    alone = Prediction(fit.over(made.deployment, 1), made.batch, made.context)
    for reason in _reasons(made, alone):
        yield f"  - {reason};"
    if_large = "takes" if alone.fits else "would take, were it large enough,"
    rest = "" if made.gpus == 1 else f"; {made.gpus} take {_ms(made.step_ms)}"
    yield f"  so one card {if_large} {_ms(alone.step_ms)}{_tokens(alone)}{rest}."


def _reasons(made: Prediction, alone: Prediction) -> Iterator[str]:
    case, skipped = made.deployment, made.weight_bytes - alone.streamed_bytes
    if not alone.fits:
        usable, needed = (
            fit.usable_bytes(case.gpu, 1),
            fit.needed_bytes(alone.deployment, made.batch, made.context),
        )
        held = _gb(usable) + (" (no communication buffers)" if made.gpus > 1 else "")
        yield f"it does not fit: one card can hold {held} of the {_gb(needed)}"
    if skipped > made.weight_bytes / 1000:
        idle = "idle experts and " if case.model.moe_experts else ""
        yield f"{_gb(skipped)} of weights are not read ({idle}the input embedding)"
    yield f"{_gb(alone.kv_bytes)} of KV cache are read as well"
    reached = step.kernels(case.gpu, case.numbers.linear).bandwidth
    yield f"matrix products reach {reached:.0%} of the peak bandwidth"
    launches = sum(each.op.count for each in alone.step.timed)
    fixed = alone.shares_ms["latency"]
    yield f"{launches:,} kernels take {_ms(fixed)} before they read a byte"


def _cards(made: Prediction) -> str:
    name = made.deployment.gpu.name
    many = f"{made.gpus} x {name}, {made.deployment.plan}"
    return many if made.gpus > 1 else f"one {name}"


def _fact(name: str, value: str) -> str:
    return f"{name:9} {value}"


def _gb(amount: float) -> str:
    return f"{amount / 1e9:,.1f} GB" if amount >= 1e9 else f"{amount / 1e6:,.0f} MB"
