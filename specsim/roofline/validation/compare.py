"""Rows to outcomes: every row is either compared or skipped for a reason."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specsim.roofline.constants import Spread
from specsim.roofline.validation import decode, labels, serving, speculation
from specsim.roofline.validation.cells import Cells, Skip, text
from specsim.roofline.validation.metrics import Outcome
from specsim.roofline.validation.reading import Row
from specsim.roofline.validation.together import Answer, Range

STAND_IN = Spread(0.7, 1.5)
"""How far off a prediction may be, beyond its own interval, when model or device is a
stand-in of the same size: as for hardware whose kernels nobody measured."""


@dataclass(frozen=True)
class Skipped:
    """A row without a prediction, and why."""

    id: str
    format: str
    reason: str
    what: str = ""


@dataclass(frozen=True)
class Kind:
    """How rows of one format are predicted.

    question:   a row's deployment and load, from what it asks alone.
    measured:   quantity to figure, those that the row has.
    predicted:  for each question quantity to (low, expected, high), in the same units,
        or why there is no answer.
    """

    question: Callable[[Cells], Any]
    measured: Callable[[Cells], Mapping[str, float]]
    predicted: Callable[[Sequence[Any]], Sequence[Answer]]


KINDS = {
    module.__name__.rpartition(".")[2]: Kind(
        module.question, module.measured, module.predicted
    )
    for module in (decode, serving, speculation)
}


def compared(rows: Iterable[Row]) -> tuple[list[Outcome], list[Skipped]]:
    """Every figure of every row that can be predicted, and the rows that cannot."""
    outcomes: list[Outcome] = []
    skipped: list[Skipped] = []
    sorted_out: dict[str, list[Row]] = {}
    for row in rows:
        sorted_out.setdefault(row.format, []).append(row)
    for name, held in sorted_out.items():
        kind, asked = KINDS[name], []
        for row in held:
            try:
                asked.append((row, *_read(row, kind)))
            except Skip as why:
                skipped.append(_skipped(row, why))
        answers = kind.predicted([question for _, question, _ in asked])
        for (row, question, figures), answer in zip(asked, answers, strict=True):
            if isinstance(answer, Skip):
                skipped.append(_skipped(row, answer))
            else:
                outcomes.extend(_outcomes(row, question, figures, answer))
    return outcomes, skipped


def _skipped(row: Row, why: Skip) -> Skipped:
    return Skipped(row.id, row.format, why.reason, why.what[:120])


def _read(row: Row, kind: Kind) -> tuple[Any, Mapping[str, float]]:
    if row.fault:
        raise Skip(row.fault)
    figures = kind.measured(ChainMap(dict(row.measured), dict(row.asked)))
    return kind.question(row.asked), figures


def _outcomes(
    row: Row,
    question: Any,
    figures: Mapping[str, float],
    answer: Mapping[str, Range],
) -> Iterator[Outcome]:
    flags = (*filter(None, [text(row.asked, "flag")]), *question.flags)
    doubt = STAND_IN if any("stand-in" in flag for flag in flags) else Spread(1, 1)
    said = labels.labels(row, question, flags)
    for quantity, measured in figures.items():
        low, expected, high = answer[quantity]
        yield Outcome(
            row.id,
            quantity,
            measured,
            expected,
            low * doubt.low,
            high * doubt.high,
            said,
            flags,
        )
