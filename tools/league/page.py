"""The tables between the markers of a page."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from specsim.errors import Bad
from tools.league.cells import Results
from tools.league.prompts import KINDS
from tools.league.table import Row, Table, tables

BEGIN, END = "<!-- league -->", "<!-- end of league -->"


def update(file: Path, made: Results) -> None:
    """Put them there. Bad: a page without markers."""
    text = file.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise Bad(f"{file}: it has no {BEGIN} before an {END}")
    file.write_text(f"{before}{BEGIN}\n{markdown(made)}\n{END}{after}", "utf-8")


def markdown(made: Results) -> str:
    """All tables, and where they were measured."""
    return "\n".join([*_where(made), *_off(made), *_tables(tables(made.cells))])


def _where(made: Results) -> Iterator[str]:
    for each in made.where:
        versions = ", ".join(
            f"{name} {number}"
            for name, number in each.items()
            if name not in ("machine", "date")
        )
        yield f"Measured {each['date']} on {each['machine']}: {versions}."


def _off(made: Results) -> Iterator[str]:
    """How far predictions are from what was measured."""
    lines = [(cell, cell.line) for cell in made.cells if cell.line]
    off = [
        line["predicted"] / median(cell.speedups) - 1
        for cell, line in lines
        if "predicted" in line
    ]
    if off:
        size = median(map(abs, off))
        yield (
            f"\nOf {len(off)} measured speed-ups the roofline's predictions are off by "
            f"{size:.0%} in the median, {median(off):+.0%} on balance."
        )


def _tables(made: list[Table]) -> Iterator[str]:
    for table in made:
        model, threads, temperature = table.setting
        many = f"{threads} thread{'s' if threads > 1 else ''}"
        fastest = f"{table.fastest.by}, {table.fastest.numbers}"
        yield (
            f"\n### {model}, {many}, temperature {temperature:g}\n\n"
            f"{table.prompts} prompts. Fastest plain decoding: {fastest}.\n"
        )
        heads = "", "on", "tokens a step", "ms a token", *KINDS, "predicted", "why"
        yield f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}"
        yield from map(_row, table.rows)


def _row(row: Row) -> str:
    by, name, numbers = row.method
    cells = [
        f"{by}: {name}",
        numbers,
        _number(row.tokens_per_step),
        f"{row.token_ms:.3g}",
        *(_spread(row.speedups.get(kind)) for kind in KINDS),
        _number(row.predicted),
        row.why,
    ]
    return f"| {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _spread(values: list[float] | None) -> str:
    """The median, and from the least to the most."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
