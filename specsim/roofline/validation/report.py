"""What `specsim validate` prints: accuracy, groups, and every row left out or odd."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from specsim.roofline.validation import columns, fitted, reading
from specsim.roofline.validation.compare import Skipped, compared
from specsim.roofline.validation.metrics import Outcome, groups, metrics

QUANTITIES = "decode", "tpot", "ttft", "speedup"


@dataclass(frozen=True)
class Validation:
    """Predictions of a file's rows beside what was measured.

    rows: of the file; outcomes: one for each figure predicted; skipped: the others.
    unknown: columns of the file that are not understood, and what each may mean.
    """

    rows: int
    outcomes: Sequence[Outcome]
    skipped: Sequence[Skipped]
    unknown: Mapping[str, str] = field(default_factory=dict)

    @property
    def predicted(self) -> int:
        """Rows with a prediction."""
        return self.rows - len(self.skipped)

    @cached_property
    def metrics(self) -> dict[str, dict[str, float | int]]:
        """Accuracy of each quantity that the rows have."""
        held = {
            quantity: [each for each in self.outcomes if each.quantity == quantity]
            for quantity in QUANTITIES
        }
        return {name: metrics(outcomes) for name, outcomes in held.items() if outcomes}

    @cached_property
    def groups(self) -> list[dict[str, object]]:
        """The same by engine, device, format, model, batch, calibration and flag."""
        return groups(self.outcomes)

    @property
    def reasons(self) -> dict[str, int]:
        """How many rows were skipped for what, most frequent first."""
        return dict(Counter(each.reason for each in self.skipped).most_common())

    @property
    def flagged(self) -> dict[str, list[str]]:
        """Rows that are odd or were predicted on assumptions: flag to ids."""
        held: dict[str, dict[str, None]] = {}
        for each in self.outcomes:
            for flag in each.flags:
                held.setdefault(flag, {})[each.id] = None
        return {flag: list(ids) for flag, ids in sorted(held.items())}

    def as_dict(self) -> dict[str, Any]:
        """What `specsim validate --json` prints; errors and coverage are fractions."""
        return {
            "rows": self.rows,
            "predicted": self.predicted,
            "columns_not_understood": dict(self.unknown),
            "skipped": [asdict(each) for each in self.skipped],
            "reasons": self.reasons,
            "metrics": self.metrics,
            "groups": self.groups,
            "flagged": self.flagged,
            "fitted": fitted.fitted(),
            "comparisons": [_comparison(each) for each in self.outcomes],
        }

    def text(self) -> str:
        """A page: accuracy, then groups, then what was left out."""
        share = self.predicted / self.rows
        lines = [f"{self.rows:,} rows, {self.predicted:,} predicted ({share:.1%})"]
        lines += [columns.line(self.unknown)] if self.unknown else []
        lines += [
            "",
            _HEAD,
            *(_line(name, held) for name, held in self.metrics.items()),
        ]
        for quantity in self.metrics:
            lines += ["", *_group_lines(quantity, self.groups)]
        lines += ["", *_listed("skipped", self._skipped_ids())]
        lines += ["", *_listed("flagged, and predicted all the same", self.flagged)]
        return "\n".join([*lines, "", fitted.line()])

    def _skipped_ids(self) -> dict[str, list[str]]:
        return {
            reason: [each.id for each in self.skipped if each.reason == reason]
            for reason in self.reasons
        }


SHOWN, WIDE = 4, 24
_HEAD = f"{'':34}{'n':>6}{'MAPE':>8}{'median':>8}{'p90':>8}{'bias':>8}{'inside':>8}"


def _line(name: str, held: dict[str, Any]) -> str:
    figures = (held[key] for key in ("mape", "median_ape", "p90_ape"))
    shown = "".join(f"{figure:8.1%}" for figure in figures)
    bias, inside = held["bias"], held["coverage"]
    return f"{name[:33]:34}{held['n']:6}{shown}{bias:+8.1%}{inside:8.0%}"


def _group_lines(quantity: str, held: list[dict[str, Any]]) -> list[str]:
    rows = [each for each in held if each["quantity"] == quantity]
    lines, last = [], None
    for each in rows:
        if each["by"] != last:
            last = each["by"]
            lines.append(f"{quantity} by {last}")
        lines.append(_line(f"  {each['group']}", each))
    return lines


def _listed(what: str, held: dict[str, list[str]]) -> list[str]:
    """One line a reason: how many rows, and the first of them."""
    if not held:
        return [f"none {what}"]
    return [f"{what}:", *(_reason(reason, ids) for reason, ids in held.items())]


def _reason(reason: str, ids: list[str]) -> str:
    shown = [
        name if len(name) <= WIDE else f"...{name[-WIDE:]}" for name in ids[:SHOWN]
    ]
    more = [f"and {len(ids) - SHOWN:,} more"] if len(ids) > SHOWN else []
    return f"{len(ids):6,}  {reason}: {' '.join(shown + more)}"


def _comparison(each: Outcome) -> dict[str, Any]:
    return {
        "id": each.id,
        "quantity": each.quantity,
        "measured": each.measured,
        "predicted": each.predicted,
        "low": each.low,
        "high": each.high,
        "flags": list(each.flags),
    }


def validate(path: str | os.PathLike[str] | None = None) -> Validation:
    """The rows of a file, None: those shipped, predicted and compared.

    Bad if the file cannot be read or is of no known format; a row that cannot be
    predicted is skipped, and says why.
    """
    rows = reading.shipped() if path is None else reading.read(path)
    outcomes, skipped = compared(rows)
    unknown = columns.strange(reading.columns(rows))
    return Validation(len(rows), outcomes, skipped, unknown)
