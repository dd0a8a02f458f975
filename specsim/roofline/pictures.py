"""The roofline itself, and sweeps over one number, as pictures."""

from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from specsim.drawing import save
from specsim.roofline import step
from specsim.roofline.lettering import figure, milliseconds
from specsim.roofline.prediction import Prediction
from specsim.roofline.step import Timed
from specsim.roofline.sweep import Sweep

MARKS = "osD^vP*X"
ROOF, REACHED, BAND = "#08306b", "#e6550d", "#9ecae1"


def roofline(made: Prediction, file: Path) -> None:
    """FLOP/s against FLOPs a byte: the two roofs, and where each operation stands.

    A dot below its roof by a factor is an operation that takes so many times as long as
    the datasheet allows: its fixed time, its achieved bandwidth, its half-filled tiles.
    """
    deployment = made.deployment
    gpu, form = deployment.gpu, deployment.numbers.linear
    peak, rate = step.peak(gpu, form), gpu.mem_bw_gbs * 1e9
    figure = Figure(figsize=(9, 6), layout="constrained")
    axes: Any = figure.subplots()
    axes.set_ylabel("FLOP/s of one GPU")
    axes.set_xlabel("FLOPs a byte")
    dots = [_dot(each) for each in made.step.timed if float(each.op.flops) > 0]
    reach = [dot[0] for dot in dots] + [peak / rate]
    span = np.geomspace(min(reach) / 3, max(reach) * 10, 200)
    axes.loglog(span, np.minimum(peak, span * rate), color=ROOF)
    for (intensity, flops, name), mark in zip(dots, cycle(MARKS), strict=False):
        axes.scatter([intensity], [flops], 90, marker=mark, label=name, zorder=3)
    axes.legend(title="operation, ms a step", loc="lower right")
    axes.set_title(
        f"{deployment.model.name} on {made.gpus} x {gpu.name}, batch {made.batch}, "
        f"context {made.context:,}: {milliseconds(made.step_ms)} a step"
    )
    save(figure, file)


def _dot(each: Timed) -> tuple[float, float, str]:
    op = each.op
    done = op.count * float(op.flops) / float(each.seconds)
    name = f"{op.name} {figure(1000 * float(each.seconds), 3)}"
    return float(op.flops) / float(op.bytes), done, name


def sweep(made: Sweep, file: Path) -> None:
    """Milliseconds a step, with its interval, and tokens per second."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    values = [value for value, _ in made.points]
    found = [each for _, each in made.points]
    low, high = [each.low_ms for each in found], [each.high_ms for each in found]
    upper.fill_between(values, low, high, color=BAND, label="interval")
    upper.plot(values, [each.step_ms for each in found], color=ROOF, marker="o")
    upper.set_ylabel("ms a step")
    lower.plot(values, [each.tokens_per_s for each in found], color=ROOF, marker="o")
    unfit = [(v, each.tokens_per_s) for v, each in made.points if not each.fits]
    if unfit:
        x, y = zip(*unfit, strict=True)
        lower.scatter(x, y, color=REACHED, zorder=3, label="does not fit")
        lower.legend()
    lower.set_ylabel("tokens/s")
    lower.set_xlabel(made.name)
    lower.set_xscale("log", base=2)
    upper.set_title(
        f"{found[0].deployment.model.name} on {found[0].deployment.gpu.name}"
    )
    save(figure, file)
