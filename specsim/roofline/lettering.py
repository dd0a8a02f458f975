"""Numbers and tables as people read them."""

from collections.abc import Sequence
from decimal import Decimal


def figure(value: float, digits: int) -> str:
    """So many significant digits, thousands set apart, never as a power of ten.

    >>> figure(126123.4, 4), figure(0.01434, 3), figure(99.96, 3)
    ('126,123', '0.0143', '100')
    """
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def milliseconds(value: float) -> str:
    """A time in ms, with its unit."""
    return f"{value:,.1f} ms" if value >= 10 else f"{value:.2f} ms"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, right under right and two blanks apart; the last stands left."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            [f"{cell:>{width}}" for cell, width in zip(row[:-1], widths, strict=False)]
            + [row[-1]]
        ).rstrip()
        for row in rows
    ]
