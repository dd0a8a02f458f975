"""Predicted against measured: rows of CSV files that others published.

columns                  the formats of files, and columns that belong to none
reading                  the file: its format, its rows, what cannot be read
cells                    one row: numbers, names, reasons to skip it
setting, devices, stand_ins    what a row ran on, also where no table knows it
decode, serving, speculation   from a row to a prediction
together, compare        all rows: predicted, or skipped for a reason
labels, metrics, report  how far they are apart
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specsim.roofline.validation.report import Validation, validate

__all__ = ["Validation", "validate"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from specsim.roofline.validation import report

    return getattr(report, name)
