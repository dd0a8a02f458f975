"""The classic experiment as a picture: what more tokens cost, and what was expected."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

from specsim.drawing import save
from specsim.roofline.calibration import fitting
from specsim.roofline.calibration.experiment import Experiment, experiments
from specsim.roofline.calibration.fitting import PLAIN, Form
from specsim.roofline.calibration.result import Calibration

COLOURS = {"fp32": "#7b3294", "bf16": "#08306b", "int8": "#b35806"}
TIMES = (1.1, ":"), (2.0, "--")
TICKS = 1, 2, 4, 8, 16, 32, 64


def draw(made: Calibration, file: Path) -> None:
    """Milliseconds against tokens, a panel for each number format.

    Dots are what was measured, from the 10th to the 90th percentile. The grey line is
    the form, fixed + sqrt(memory^2 + compute^2); the coloured one what predictions use,
    the same with its factors, which belong to matrices of several sizes. Bad if the
    file cannot be written.
    """
    found = experiments(made.points)
    figure = Figure(figsize=(4.5 * len(found), 4.5), layout="constrained")
    panels: Any = figure.subplots(1, len(found), squeeze=False, sharey=True)
    for panel, each in zip(panels[0], found, strict=True):
        points = [p for p in made.points if p.work.format == each.format]
        _panel(
            panel, each, fitting.form([p for p in points if p.work.kind == "product"])
        )
    panels[0][0].set_ylabel("ms")
    weights = found[0].points[0].work.flops / 2e6
    figure.suptitle(
        f"{made.gpu.name}, {made.software}: a product with a matrix of {weights:.0f} "
        "million weights",
        fontsize=11,
    )
    save(figure, file)


def _panel(panel: Any, found: Experiment, fitted: Form) -> None:
    colour, tokens = COLOURS[found.format], found.tokens
    taken = 1e3 * np.array([[p.seconds, p.low, p.high] for p in found.points])
    usual, low, high = taken.T
    bars = [usual - low, high - usual]
    panel.errorbar(tokens, usual, bars, fmt="o", color=colour, label="measured")
    lines = {
        "0.6": (replace(fitted, factors=PLAIN), "fixed time, bytes and FLOPs"),
        colour: (fitted, "with factors, as predicted"),
    }
    for shade, (form, label) in lines.items():
        expected = [1e3 * form.seconds(point.work) for point in found.points]
        panel.plot(tokens, expected, color=shade, lw=1, label=label)
    for times, style in TIMES:
        most = found.affordable(times)
        label = f"{times:g} x one: up to {most} token{'s' if most > 1 else ''}"
        panel.axhline(times * usual[0], color=colour, lw=1, ls=style, label=label)
    panel.set_title(f"{found.format}: 8 tokens cost {found.cost(8):.2f} x one")
    _axes(panel)


def _axes(panel: Any) -> None:
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xticks(TICKS, list(map(str, TICKS)))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.set_xlabel("tokens")
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(color="0.92")
    panel.legend(frameon=False, fontsize=8)
