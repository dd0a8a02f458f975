"""A CSV file of measurements: its format by its columns, its rows, what was measured.

Measured columns are split off here, so that no prediction can read them.
"""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from specsim.errors import Bad
from specsim.roofline.fields import short, short_path
from specsim.roofline.validation.cells import Cells
from specsim.roofline.validation.columns import FORMATS, Format

MOST_BYTES = 50_000_000
MOST_ROWS = 100_000
MOST_NEAR = 3


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


def columns(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Format to the columns its rows have."""
    held: dict[str, dict[str, str]] = {}
    for row in rows:
        held.setdefault(row.format, {}).update({**row.asked, **row.measured})
    return {name: list(cells) for name, cells in held.items()}


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
    lacking = nearest.lacks(columns)
    strange = nearest.strange(header).items()
    must = nearest.needed | nearest.figures
    near = [f"{short(name)} for {meant}?" for name, meant in strange if meant in must]
    found = f" ({', '.join(near[:MOST_NEAR])})" if near else ""
    raise Bad(
        f"{shown}: its columns are those of no known format; {nearest.name} is "
        f"nearest, and also needs {', '.join(lacking)}{found}"
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
