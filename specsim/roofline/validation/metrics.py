"""How far predictions are from measurements, as fractions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """One measured figure and its prediction, in the same unit (ms, or times).

    low, high: the interval predicted.
    labels:    what it can be grouped by.
    flags:     what is odd about the row, or was assumed to predict it.
    """

    id: str
    quantity: str
    measured: float
    predicted: float
    low: float
    high: float
    labels: Mapping[str, str]
    flags: tuple[str, ...] = ()

    @property
    def error(self) -> float:
        """Signed, as a fraction of the measured figure."""
        return self.predicted / self.measured - 1


def metrics(outcomes: Sequence[Outcome]) -> dict[str, float | int]:
    """Number, errors as fractions of the measured figures, and interval coverage.

    mape: mean absolute error; bias: mean signed error, positive where the prediction
    is too long (too large); coverage: the share of figures inside their interval.

    >>> one = Outcome("a", "decode", 10.0, 12.0, 8.0, 13.0, {})
    >>> metrics([one])["mape"], metrics([one])["coverage"]
    (0.2, 1.0)
    """
    if not outcomes:
        return {"n": 0}
    errors = np.array([each.error for each in outcomes])
    inside = [each.low <= each.measured <= each.high for each in outcomes]
    sizes = np.abs(errors)
    made = {
        "mape": np.mean(sizes),
        "median_ape": np.median(sizes),
        "p90_ape": np.quantile(sizes, 0.9),
        "bias": np.mean(errors),
        "coverage": np.mean(inside),
    }
    return {"n": len(errors)} | {name: round(float(x), 6) for name, x in made.items()}


def groups(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """The same for the outcomes of each quantity that share a label."""
    sorted_out: dict[tuple[str, str, str], list[Outcome]] = {}
    for each in outcomes:
        for by, label in each.labels.items():
            sorted_out.setdefault((each.quantity, by, label), []).append(each)
    return [
        {"quantity": quantity, "by": by, "group": label, **metrics(held)}
        for (quantity, by, label), held in sorted(
            sorted_out.items(), key=lambda item: (item[0][:2], -len(item[1]))
        )
    ]
