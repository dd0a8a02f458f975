"""Samples as lines of the table: levels of targets, tasks, depth and temperature."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

from specsim.errors import Bad
from specsim.roofline import names
from tools.acceptance import rows as published
from tools.acceptance.rows import METHODS, MOST, Sample

DOUBT = 1.645


@dataclass(frozen=True)
class Cell:
    """A line of the table; the columns are explained above."""

    drafter: str
    task: str
    target: str
    temperature: int
    alpha: float
    low: float
    high: float
    decade: float
    fall: float
    rows: int
    how: str
    ids: str
    source: str


def table(rows: list[dict[str, str]]) -> list[Cell]:
    """Every cell, sorted."""
    usable = [row for row in rows if published.usable(row)]
    samples, slope = published.samples(usable)
    groups = defaultdict(list)
    for one in samples:
        if one.temperature == 0:
            groups[one.drafter].append(one)
    spreads = _spreads(groups.values())
    cold = [cell for each in groups.values() for cell in _cells(each, spreads, slope)]
    cold += [_by_depth(usable, spreads[0])]
    warm = [_warmed(cell, samples) for cell in cold]
    return sorted(
        cold + warm, key=lambda c: (c.drafter, c.task, c.target, c.temperature)
    )


def split(samples: list[Sample]) -> tuple[dict[str, float], dict[str, float]]:
    """Levels of targets about 0, and alphas of tasks at level 0; they add up.

    Alternating means. Levels are drawn a little towards 0, as if each target had one
    row more at the average: a target measured in one task alone says most of the task.
    """
    levels = dict.fromkeys((one.target for one in samples), 0.0)
    tasks = dict.fromkeys((one.task for one in samples), 0.0)
    for _ in range(200):
        for task in tasks:
            mine = [one for one in samples if one.task == task]
            tasks[task] = statistics.mean(
                one.alpha - levels[one.target] for one in mine
            )
        for target in levels:
            mine = [one for one in samples if one.target == target]
            left = sum(one.alpha - tasks[one.task] for one in mine)
            levels[target] = left / (len(mine) + 1)
        middle = statistics.mean(levels.values())
        levels = {target: level - middle for target, level in levels.items()}
    return levels, tasks


def _spreads(groups: Iterable[list[Sample]]) -> tuple[float, float]:
    """Deviations of alpha from what is expected of a task, and of a task and a target.

    The first is for a target that was not measured, the second for one that was.
    """
    squares, freedom = [0.0, 0.0], [0, 0]
    for samples in groups:
        levels, tasks = split(samples)
        if len(levels) < 4:
            continue
        off = [one.alpha - tasks[one.task] for one in samples]
        left = [
            away - levels[one.target] for away, one in zip(off, samples, strict=True)
        ]
        squares = [
            squares[0] + _sum_of_squares(off),
            squares[1] + _sum_of_squares(left),
        ]
        freedom[0] += len(samples) - len(tasks)
        freedom[1] += len(samples) - len(tasks) - len(levels) + 1
    one, other = (DOUBT * sqrt(s / n) for s, n in zip(squares, freedom, strict=True))
    return one, other


def _sum_of_squares(values: list[float]) -> float:
    return sum(value * value for value in values)


def _cells(
    samples: list[Sample], spreads: tuple[float, float], slope: float
) -> Iterator[Cell]:
    """For any target; and for those measured more than twice, as far as they are known.

    A draft model is one of a pair: what holds for one draft of a target says nothing of
    the next.
    """
    levels, tasks = split(samples)
    for task in tasks:
        mine = [one for one in samples if one.task == task]
        yield _cell("", tasks[task], mine, spreads[0], slope)
    for target, level in levels.items():
        mine = [one for one in samples if one.target == target]
        known = _known(target)
        if len(mine) > 2 and known and mine[0].drafter != "draft-model":
            for task in dict.fromkeys(one.task for one in mine):
                of_task = [one for one in mine if one.task == task]
                yield _cell(known, tasks[task] + level, of_task, spreads[1], slope)


def _known(target: str) -> str:
    """Its id in models.csv, empty if it is not there."""
    try:
        return names.model(target).hf_id
    except Bad:
        return ""


def _cell(
    target: str, alpha: float, mine: list[Sample], spread: float, slope: float
) -> Cell:
    measured = any(one.how == "measured" for one in mine)
    return Cell(
        mine[0].drafter,
        mine[0].task,
        target,
        0,
        alpha,
        max(alpha - spread, 0.0),
        min(alpha + spread, MOST),
        slope if mine[0].drafter == "draft-model" else 0.0,
        1.0,
        len(mine),
        "measured" if measured else "scaled",
        " ".join(one.id for one in mine),
        "; ".join(dict.fromkeys(one.source for one in mine)),
    )


def _by_depth(rows: Iterable[dict[str, str]], spread: float) -> Cell:
    """MTP: alpha and its fall with depth that come nearest to the tokens of each depth.

    Its rows say no temperature; they are taken for temperature 0.
    """
    found = [row for row in rows if METHODS.get(row["method"]) == "mtp"]
    found = [row for row in found if row["tau_tokens_per_step"]]
    points = [
        (int(row["K_or_tree"].split()[0][2:]), float(row["tau_tokens_per_step"]))
        for row in found
    ]

    def missed(alpha: float, fall: float) -> float:
        return sum((_falling(alpha, fall, k) - tokens) ** 2 for k, tokens in points)

    grid = [(a / 200, f / 200) for a in range(100, 200) for f in range(100, 201)]
    alpha, fall = min(grid, key=lambda pair: missed(*pair))
    return Cell(
        "mtp",
        "mixed",
        "",
        0,
        alpha,
        max(alpha - spread, 0.0),
        min(alpha + spread, MOST),
        0.0,
        fall,
        len(found),
        "measured",
        " ".join(row["id"] for row in found),
        "; ".join(dict.fromkeys(row["source"] for row in found)),
    )


def _falling(alpha: float, fall: float, k: int) -> float:
    total, alive = 1.0, 1.0
    for depth in range(k):
        alive *= alpha * fall**depth
        total += alive
    return total


def _warmed(cell: Cell, samples: list[Sample]) -> Cell:
    """The same at temperature 1."""
    factor = _factor(cell, samples)
    alpha, low, high = (factor * value for value in (cell.alpha, cell.low, cell.high))
    return replace(
        cell, temperature=1, alpha=alpha, low=low, high=high, how="temperature"
    )


def _factor(cell: Cell, samples: list[Sample]) -> float:
    """The median ratio of the target's pairs, of the drafter's, or of all."""
    pairs: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    for one in samples:
        key = one.drafter, one.target, one.draft, one.task, one.source
        pairs[key][one.temperature] = one.alpha
    ratios = {key: two[1] / two[0] for key, two in pairs.items() if len(two) == 2}
    of_drafter = {key: r for key, r in ratios.items() if key[0] == cell.drafter}
    own = {
        key: r
        for key, r in of_drafter.items()
        if cell.target and _known(key[1]) == cell.target
    }
    chosen = next(each for each in (own, of_drafter, ratios) if len(each) > 2)
    return statistics.median(chosen.values())
