"""A CSV file of measurements: its format by its columns, its rows, what was measured.

Measured columns are split off here, so that no prediction can read them.
"""

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from specsim.errors import Bad
from specsim.roofline.fields import short, short_path
from specsim.roofline.validation.cells import Cells

MOST_BYTES = 50_000_000
MOST_ROWS = 100_000


@dataclass(frozen=True)
class Format:
    """One kind of file.

    needed:   the columns it must have.
    figures:  what was measured; one of them at least.
    measured: these, and what is derived from them or tells of them.
    """

    name: str
    needed: frozenset[str]
    figures: frozenset[str]
    derived: frozenset[str]

    @property
    def measured(self) -> frozenset[str]:
        """The columns no prediction may read."""
        return self.figures | self.derived

    def lacks(self, columns: set[str]) -> list[str]:
        """What columns lack to be of this format."""
        lacking = sorted(self.needed - columns)
        if not self.figures & columns:
            lacking.append(" or ".join(sorted(self.figures)))
        return lacking


FORMATS = (
    Format(
        "decode",
        frozenset({"model", "device"}),
        frozenset({"ms_per_step", "value"}),
        frozenset({"includes_notes", "notes"}),
    ),
    Format(
        "serving",
        frozenset({"model_path", "system", "batch_size", "isl", "osl"}),
        frozenset({"silicon_tpot_ms", "silicon_ttft_ms"}),
        frozenset({"silicon_data_source", "notes"}),
    ),
    Format(
        "speculation",
        frozenset({"method", "target"}),
        frozenset({"speedup"}),
        frozenset({"implied_cycle_cost", "baseline_tok_s", "spec_tok_s", "notes"}),
    ),
)


@dataclass(frozen=True)
class Row:
    """One row: what it asks, and what was measured; fault: why it cannot be read."""

    format: str
    id: str
    asked: Cells
    measured: Cells
    fault: str = ""


def shipped() -> list[Row]:
    """The rows that come with specsim."""
    folder = files("specsim") / "data" / "measurements"
    return [
        row
        for form in FORMATS
        for row in _table((folder / f"{form.name}.csv"), f"{form.name}.csv")
    ]


def read(path: str | os.PathLike[str]) -> list[Row]:
    """The rows of a file; Bad if it is none, or of no known format."""
    file = Path(os.path.expanduser(os.fspath(path)))
    shown = _printable(short_path(file))
    try:
        if not file.exists():
            raise Bad(f"{shown}: no such file; give a CSV of measurements")
        if not file.is_file():
            raise Bad(f"{shown}: not a file; give a CSV of measurements")
        if file.stat().st_size > MOST_BYTES:
            raise Bad(f"{shown}: over {MOST_BYTES:,} bytes; split it")
        return _table(file, shown)
    except (OSError, ValueError) as error:
        if isinstance(error, Bad):
            raise
        said = getattr(error, "strerror", None) or "not a name of a file"
        raise Bad(f"{shown}: cannot be read: {said}") from None


def _printable(words: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in words)


def _table(file: Path | Traversable, shown: str) -> list[Row]:
    try:
        lines = io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")
    except UnicodeDecodeError:
        raise Bad(f"{shown}: not UTF-8 text; save it as UTF-8") from None
    table = csv.reader(lines, strict=True)
    try:
        header = [column.strip() for column in next(table, [])]
        form = _format(header, shown)
        rows = list(_rows(table, header, form, shown))
    except csv.Error as error:
        raise Bad(f"{shown}, line {table.line_num}: not CSV: {error}") from None
    if not rows:
        raise Bad(f"{shown}: no rows below its header; nothing to validate")
    return rows


def _format(header: list[str], shown: str) -> Format:
    """The format whose columns the header has."""
    columns = set(header)
    if not columns - {""}:
        raise Bad(f"{shown}: empty; give a CSV with a header")
    if twice := sorted(name for name in columns if name and header.count(name) > 1):
        raise Bad(f"{shown}: column {short(twice[0])} stands there twice")
    for form in FORMATS:
        if not form.lacks(columns):
            return form
    nearest = min(FORMATS, key=lambda form: len(form.lacks(columns)))
    raise Bad(
        f"{shown}: its columns are those of no known format; {nearest.name} is "
        f"nearest, and also needs {', '.join(nearest.lacks(columns))}"
    )


def _rows(
    table: Iterator[list[str]], header: list[str], form: Format, shown: str
) -> Iterator[Row]:
    for number, cells in enumerate(filter(None, table), 1):
        if number > MOST_ROWS:
            raise Bad(f"{shown}: over {MOST_ROWS:,} rows; split it")
        row = dict(zip(header, cells, strict=False))
        fault = ""
        if len(cells) != len(header):
            fault = "not as many cells as columns"
        name = _printable(row.get("id", "").strip()[:120]) or f"row {number}"
        asked = {key: cell for key, cell in row.items() if key not in form.measured}
        measured = {key: cell for key, cell in row.items() if key in form.measured}
        yield Row(form.name, name, asked, measured, fault)
