"""What came of it: a row a method, over the prompts of a model at a temperature.

Each cell was measured beside plain decoding, on a machine that may have been busy with
other things: its times are scaled to those of the quickest plain decoding there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from specsim.generation.reasons import why
from tools.league.cells import PLAIN, Cell, Method

BASE = Method("specsim", PLAIN, "numpy fp32")


class Setting(NamedTuple):
    """What a table is of."""

    model: str
    threads: int
    temperature: float


@dataclass(frozen=True)
class Row:
    """A method in all cells of a setting.

    speedups: over the fastest plain decoding: by kind of prompt, round by round.
    token_ms: of a token. predicted: the roofline's speed-up.
    """

    method: Method
    speedups: dict[str, list[float]]
    token_ms: float
    tokens_per_step: float | None = None
    predicted: float | None = None
    why: str = ""

    @property
    def speedup(self) -> float:
        """The median of all."""
        return median(value for each in self.speedups.values() for value in each)


@dataclass(frozen=True)
class Table:
    """The fastest first. fastest: of plain decodings; what all is compared with."""

    setting: Setting
    fastest: Method
    prompts: int
    rows: list[Row]


def tables(cells: Iterable[Cell]) -> list[Table]:
    """A table a setting, in order."""
    groups: dict[Setting, list[Cell]] = {}
    for cell in cells:
        place = cell.place
        setting = Setting(place.model, place.threads, place.temperature)
        groups.setdefault(setting, []).append(cell)
    return [_table(setting, groups[setting]) for setting in sorted(groups)]


def _table(setting: Setting, cells: list[Cell]) -> Table:
    methods: dict[Method, list[Cell]] = {}
    for cell in cells:
        methods.setdefault(cell.method, []).append(cell)
    base = {kind: [1.0] for kind in dict.fromkeys(cell.place.kind for cell in cells)}
    quickest = min(cell.plain_ms for cell in cells)
    rows = [Row(BASE, base, quickest)]
    rows += [_row(method, of, quickest) for method, of in methods.items()]
    fastest = max((row for row in rows if row.method.name == PLAIN), key=_speed)
    kept = [_over(row, fastest.speedup) for row in _best(rows)]
    prompts = len({cell.place for cell in cells})
    return Table(setting, fastest.method, prompts, sorted(kept, key=_speed)[::-1])


def _speed(row: Row) -> float:
    return row.speedup


def _best(rows: list[Row]) -> Iterator[Row]:
    """All plain decodings; of what transformers does in two formats, the faster."""
    for row in rows:
        same = [each for each in rows if each.method[:2] == row.method[:2]]
        if row.method.name == PLAIN or row is max(same, key=_speed):
            yield row


def _over(row: Row, fastest: float) -> Row:
    ups = {k: [value / fastest for value in v] for k, v in row.speedups.items()}
    return Row(**vars(row) | {"speedups": ups})


def _row(method: Method, cells: list[Cell], quickest: float) -> Row:
    ups: dict[str, list[float]] = {}
    for cell in cells:
        ups.setdefault(cell.place.kind, []).extend(cell.speedups)
    token = quickest / median(value for each in ups.values() for value in each)
    lines = [
        (cell.line, quickest / cell.plain_ms) for cell in cells if cell.line is not None
    ]
    if not lines:
        return Row(method, ups, token)
    line = pooled(lines)
    foretold = [of["predicted"] for of, _ in lines if "predicted" in of]
    named = method._replace(name=f"{method.name}, {line['rule']}")
    predicted = median(foretold) if foretold else None
    tokens = line["tokens_per_step"]
    return Row(named, ups, token, tokens, predicted, why(line))


def pooled(lines: list[tuple[dict[str, Any], float]]) -> dict[str, Any]:
    """One line of many, each with what its times are scaled by; means over steps."""
    tokens = len(lines) / sum(1 / line["tokens_per_step"] for line, _ in lines)
    shares = [tokens / line["tokens_per_step"] / len(lines) for line, _ in lines]
    plain = lines[0][0]["plain_ms"] * lines[0][1]

    def mean(values: Iterable[float]) -> float:
        return float(np.dot(shares, [*values]))

    step = {
        name: mean(scale * line["step_ms"][name] for line, scale in lines)
        for name in lines[0][0]["step_ms"]
    }
    return {
        "rule": lines[0][0]["rule"],
        "nodes_per_step": mean(line["nodes_per_step"] for line, _ in lines),
        "tokens_per_step": tokens,
        "step_ms": step,
        "plain_ms": plain,
        "speedup": tokens * plain / step["total"],
    }
