"""A comparison of the rules as a picture."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from specsim.compare import BUDGETS, Comparison, Line, draft_name, shape_name
from specsim.drawing import save
from specsim.errors import Bad
from specsim.oracle.worlds import Branching, nodes
from specsim.rules import CHAIN

COLOURS = "#9ecae1", "#4292c6", "#08306b"
"""From poor drafts to good ones."""


def draw(made: Comparison, file: Path) -> None:
    """Dots for tokens per step, a row for each lossless rule and kind of draft.

    Above chains, below trees, a column for each budget, a colour for each acceptance.
    Rules for temperature 0 are left out: they decode another law. Bad if the file
    cannot be written.
    """
    if not made.worlds:
        raise Bad("--plot draws random worlds: let --worlds be 1 or more")
    groups = [
        (list(BUDGETS["chain"]), [x for x in _kept(made) if x.rule.shape == CHAIN]),
        (list(BUDGETS["tree"]), [x for x in _kept(made) if x.rule.shape != CHAIN]),
    ]
    figure = Figure(figsize=(12, 11), layout="constrained")
    heights = [4 + len(lines) for _, lines in groups]
    rows: Any = figure.subfigures(2, 1, height_ratios=heights)
    for part, (shapes, lines) in zip(rows, groups, strict=True):
        _panels(part, shapes, sorted(lines, key=_best))
    _legend(figure, made)
    save(figure, file)


def _kept(made: Comparison) -> list[Line]:
    return [line for line in made.lines if not (line.rule.lossy or line.rule.greedy)]


def _best(line: Line) -> list[float]:
    """Sorts the best rules to the top: by the smallest budget, then the next."""
    return [sum(means) for means in line.random.values()]


def _panels(part: Any, shapes: list[Branching], lines: list[Line]) -> None:
    """One row of panels, which share the names of the rules."""
    panels = part.subplots(1, len(shapes), sharey=True)
    for panel, shape in zip(panels, shapes, strict=True):
        for y, line in enumerate(lines):
            means = line.random.get(shape, [])
            panel.scatter(means, [y] * len(means), c=COLOURS[: len(means)])
        what = "chain" if max(shape) == 1 else "tree"
        panel.set_title(
            f"{what} {shape_name(shape)}, {nodes(shape)} drafted", fontsize=10
        )
        panel.set_xlabel("expected tokens per step")
        panel.set_xlim(0.95, len(shape) + 1.05)
        panel.set_ylim(-0.8, len(lines) - 0.2)
        panel.xaxis.set_major_locator(MultipleLocator(0.5))
        panel.grid(color="0.9")
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    names = [f"{line.rule.name} ({draft_name(line.kind)})" for line in lines]
    panels[0].set_yticks(range(len(lines)), names, fontsize=9)


def _legend(figure: Figure, made: Comparison) -> None:
    handles = [
        figure.axes[0].scatter([], [], c=colour, label=f"{acceptance:.2f}")
        for colour, acceptance in zip(COLOURS, made.acceptance, strict=True)
    ]
    figure.legend(
        handles=handles,
        title=f"acceptance of one drafted token, sum of min(p, q)\n"
        f"mean of {made.worlds} random worlds of {made.vocab} words\n"
        "(no dots: not its shape, or too many drafts)",
        loc="outside upper center",
        ncols=len(handles),
        frameon=False,
    )
