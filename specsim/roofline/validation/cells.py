"""One row of a file of measurements: its cells as numbers, or why it is skipped."""

import math
from collections.abc import Mapping

Cells = Mapping[str, str]
"""Column to text; an absent column is as good as an empty cell."""

LARGEST = 1e9


class Skip(Exception):
    """A row that cannot be predicted: why, in words that rows share, and what of it."""

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(reason, what)
        self.reason, self.what = reason, what


def text(row: Cells, column: str) -> str:
    """The cell without blanks around it; empty where absent."""
    return (row.get(column) or "").strip()


def number(row: Cells, column: str) -> float | None:
    """The number in a cell, None if it is empty; Skip if it is anything else."""
    if not (cell := text(row, column)):
        return None
    try:
        value = float(cell.replace("_", "x"))
    except ValueError:
        raise Skip(f"{column} is not a number", cell) from None
    if not math.isfinite(value) or not 0 <= value <= LARGEST:
        raise Skip(f"{column} is out of range", cell)
    return value


def positive(row: Cells, column: str) -> float | None:
    """The same; 0 counts as empty, as the files write it where nothing is known."""
    return number(row, column) or None


def needed(row: Cells, column: str) -> float:
    """The same; Skip if there is none."""
    if (value := positive(row, column)) is None:
        raise Skip(f"{column} is 0" if text(row, column) else f"no {column}")
    return value


def degree(row: Cells, column: str) -> int:
    """A parallel size: a whole number; empty and 0 mean 1."""
    value = positive(row, column) or 1.0
    if value != int(value) or value > 4096:
        raise Skip(f"{column} is not a parallel size", text(row, column))
    return int(value)
