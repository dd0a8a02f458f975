"""What was measured: a line of JSON each, added to a file as they come.

Lines that say where it was measured come before those measured there.
"""

import json
import platform
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from specsim.errors import Bad
from specsim.roofline.calibration import machine

DIGITS = 4
PLAIN = "plain"


class Method(NamedTuple):
    """by: specsim or transformers. name: a drafter, or plain decoding.

    numbers: what it computes on: numpy fp32, torch bf16 ...
    """

    by: str
    name: str
    numbers: str


class Place(NamedTuple):
    """Where it is measured. text: the name of the prompt."""

    model: str
    threads: int
    kind: str
    text: str
    temperature: float


@dataclass(frozen=True)
class Cell:
    """One method in one place.

    token_ms: of its own. plain_ms: of plain decoding with NumPy, beside it.
    speedups: the one over the other, round by round.
    line:     what the league says of it (specsim/generation/league.py), of a drafter
              of ours.
    """

    place: Place
    method: Method
    token_ms: float
    plain_ms: float
    speedups: list[float]
    line: dict[str, Any] | None = None


@dataclass(frozen=True)
class Results:
    """All of a file. where: machines, versions and dates."""

    where: list[dict[str, str]]
    cells: list[Cell]


def read(file: Path) -> Results:
    """Nothing if there is no file. Bad: a line that is no cell."""
    made = Results([], [])
    if file.exists():
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                _sort(json.loads(line), made)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise Bad(f"{file}: line {number} is no cell: remove it") from None
    return made


def _sort(given: dict[str, Any], made: Results) -> None:
    if "machine" in given:
        made.where.append(given)
        return
    place, method = Place(*given.pop("place")), Method(*given.pop("method"))
    made.cells.append(Cell(place, method, **given))


def here() -> dict[str, str]:
    """What the figures depend on."""
    names = "numpy", "torch", "transformers"
    return {
        "machine": machine.processor(),
        "date": str(date.today()),
        "python": platform.python_version(),
        **{name: _version(name) for name in names},
    }


def _version(name: str) -> str:
    """Without what was added to it for the machine."""
    try:
        return version(name).partition("+")[0]
    except PackageNotFoundError:
        return "none"


def add(file: Path, *cells: Cell) -> None:
    """At its end, in one write, with where that was if it is not the same as before."""
    lines = [asdict(cell) for cell in cells]
    if here() not in read(file).where:
        lines.insert(0, here())
    with file.open("a", encoding="utf-8") as opened:
        opened.write("".join(map(_line, lines)))


def write(file: Path, made: Results) -> None:
    """All of it anew."""
    lines = [*made.where, *map(asdict, made.cells)]
    file.write_text("".join(map(_line, lines)), encoding="utf-8")


def _line(value: Any) -> str:
    return json.dumps(rounded(value), separators=(",", ":")) + "\n"


def rounded(value: Any) -> Any:
    """Its numbers, to four digits.

    >>> rounded({"a": [1.23456, 7], "b": "x"})
    {'a': [1.235, 7], 'b': 'x'}
    """
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
