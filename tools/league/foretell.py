"""What the roofline says of each line, with what `specsim calibrate` found here."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from specsim.drafters import DRAFTERS
from specsim.generation.models import Models
from specsim.generation.prediction import Seen, predicted
from specsim.generation.request import sampled
from specsim.roofline.calibration import load
from specsim.roofline.catalog import Gpu
from tools.league import cells
from tools.league.cells import Cell


def foretell(file: Path, calibration: Path, name: str, models: Models) -> None:
    """Add it to the lines of that model, on as many threads as were calibrated."""
    found, made = load(calibration), cells.read(file)

    def told(cell: Cell) -> Cell:
        where = cell.place.model, cell.place.threads
        line = cell.line
        if line is None or not line["nodes_per_step"] or where != (name, found.threads):
            return cell
        more = {"predicted": _predicted(cell, line, models, found.gpu)}
        return replace(cell, line=line | more)

    cells.write(file, replace(made, cells=[*map(told, made.cells)]))


def _predicted(cell: Cell, line: dict[str, Any], models: Models, machine: Gpu) -> float:
    seen = Seen(
        DRAFTERS[cell.method.name],
        line["nodes_per_step"],
        len(line["acceptance"]),
        line["tokens_per_step"],
        line["context"],
    )
    sampling = sampled(models.vocab, {"temperature": cell.place.temperature})
    return predicted(seen, models, machine, sampling)
