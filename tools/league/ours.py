"""Drafters with their usual rules, and plain decoding on other backends."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from specsim.drafters import DRAFTERS
from specsim.generation import drafting
from specsim.generation.generated import Generated
from specsim.generation.league import Line
from specsim.generation.run import Run
from specsim.generation.scene import Scene
from specsim.generation.timing import in_turn
from tools.league.cells import PLAIN, Cell, Method, Place
from tools.league.subject import NEW, NUMBERS, Subject, on_torch

OURS, BASE = "specsim", "numpy fp32"
LEFT_OUT = "drafter", "rounds", "speedup", "speedup_range", "predicted_speedup", "why"
"""Of a line: said elsewhere, or worked out anew."""


def methods(subject: Subject) -> Iterator[Method]:
    """Every drafter there is for these models, and torch without."""
    for row in DRAFTERS.values():
        if drafting.available(row, subject.models):
            yield Method(OURS, row.name, BASE)
    for numbers in NUMBERS:
        yield Method(OURS, PLAIN, numbers)


def plain(subject: Subject, prompt: str, place: Place) -> Scene:
    """What all are compared with: the drafter is left out."""
    return subject.scene("ngram", prompt, place.temperature)


def measured(
    subject: Subject, prompt: str, place: Place, method: Method, rounds: int
) -> Cell:
    """Beside plain decoding with NumPy."""
    if method.name == PLAIN:
        here = plain(subject, prompt, place)
        there = replace(here, models=on_torch(subject, method.numbers))
        run, base = in_turn(there.plodding(NEW), here.plodding(NEW))
        token, other = token_ms(run), token_ms(base)
        return Cell(place, method, token, other, [other / token])
    scene = subject.scene(method.name, prompt, place.temperature)
    timed = scene.timed(NEW, rounds)
    line = Line(Generated(scene, timed.runs[0], timed), None).as_dict()
    return Cell(
        place,
        method,
        line["step_ms"]["total"] / line["tokens_per_step"],
        line["plain_ms"],
        timed.speedups,
        _told(line) | {"context": len(scene.request.prompt) + NEW // 2},
    )


def token_ms(run: Run) -> float:
    """Of a run, its prompt left out."""
    return 1000 * run.seconds.total / len(run.emitted)


def _told(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in LEFT_OUT}
