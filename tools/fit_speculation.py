"""Fits the host times of an eager loop of speculation to published speed-ups.

    python -m tools.fit_speculation

Prints the constants of `specsim.roofline.speculation.loops.EAGER`, rounded, and how far
predictions are off: with them, and for each source with constants fitted to the others.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from specsim.errors import Bad
from specsim.roofline.speculation import loops, measured

ROWS = "data/measurements/speculation.csv"
FITTED = "pass_us", "tree_us", "layer_us", "launch_us"
Row = dict[str, str]
Numbers = NDArray[np.float64]


def eager_rows() -> list[Row]:
    """Rows of an eager engine that can be priced and say what was measured."""
    with files("specsim").joinpath(ROWS).open(encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines) if row["speedup"] and _eager(row)]


def _eager(row: Row) -> bool:
    try:
        return measured.priced(row).draft.loop is loops.EAGER
    except Bad:
        return False


def errors(rows: Sequence[Row], constants: Numbers) -> Numbers:
    """Logarithms of predicted over measured speed-ups."""
    given: dict[str, Any] = dict(zip(FITTED, map(float, constants), strict=True))
    with patch.object(loops, "EAGER", replace(loops.EAGER, **given)):
        predicted = [float(measured.priced(row).speedup) for row in rows]
    return np.log(predicted) - np.log([float(row["speedup"]) for row in rows])


def fitted(rows: Sequence[Row]) -> Numbers:
    """The constants of least mean error, each source counting as the root of its rows.

    Held to a tenth of the error they would need to be off by a factor of e.
    """
    first = np.log([getattr(loops.EAGER, name) for name in FITTED])
    counts = {row["source"]: 0 for row in rows}
    for row in rows:
        counts[row["source"]] += 1
    weights = np.array([counts[row["source"]] ** -0.5 for row in rows])

    def loss(logs: Numbers) -> float:
        off = np.abs(errors(rows, np.exp(logs)))
        return float(
            np.average(off, weights=weights) + 0.01 * np.mean((logs - first) ** 2)
        )

    found = minimize(loss, first, method="Nelder-Mead", options={"maxfev": 150})
    return np.asarray(np.exp(found.x))


def mape(rows: Sequence[Row], constants: Numbers) -> float:
    """Mean absolute error of the speed-up, as a share of the measured."""
    return float(np.mean(np.abs(np.expm1(errors(rows, constants)))))


def main(say: Callable[[str], None] = print) -> None:
    rows = eager_rows()
    sources = sorted({row["source"] for row in rows})
    constants = fitted(rows)
    say(f"{len(rows)} rows, {len(sources)} sources")
    for name, value in zip(FITTED, constants, strict=True):
        say(f"  {name:10} {value:7.0f}   now {getattr(loops.EAGER, name)}")
    now = np.array([getattr(loops.EAGER, name) for name in FITTED], float)
    say(f"mean error {mape(rows, constants):.1%} fitted, {mape(rows, now):.1%} as now")
    for source in sources:
        apart = [row for row in rows if row["source"] == source]
        others = fitted([row for row in rows if row["source"] != source])
        say(f"  {mape(apart, others):6.1%}  {len(apart):3}  {source[:60]}, left out")


if __name__ == "__main__":
    main()
