"""Write the table."""

import csv
import sys
from dataclasses import fields
from pathlib import Path

from tools.acceptance.cells import Cell, table
from tools.acceptance.rows import EDITS

DATA = Path(__file__).parents[2] / "specsim" / "data"


def main() -> None:
    """Write the table, and say what went in."""
    with (DATA / "measurements" / "speculation.csv").open(encoding="utf-8") as lines:
        rows = [*csv.DictReader(lines), EDITS]
    cells = table(rows)
    with (DATA / "acceptance.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(column.name for column in fields(Cell))
        sheet.writerows(map(written, cells))
    sys.stdout.write(f"{len(cells)} cells of {len(rows)} rows\n")


def written(cell: Cell) -> list[str]:
    """Its columns, numbers to four digits."""
    values = vars(cell).values()
    return [f"{v:.4g}" if isinstance(v, float) else str(v) for v in values]


if __name__ == "__main__":
    main()
