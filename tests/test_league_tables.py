"""The league's tables: what is compared with what, and that docs/generate.md has them.

Figures of the examples are made up; those of the page are read from the file that
`python -m tools.league` filled.
"""

from pathlib import Path
from typing import Any

import pytest

from specsim.errors import Bad
from tools.league import cells, page
from tools.league.cells import Cell, Method, Place, Results
from tools.league.table import BASE, Table, pooled, tables

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "tools" / "league" / "results.jsonl"
PAGE = ROOT / "docs" / "generate.md"
TORCH = Method("specsim", "plain", "torch bf16")
LOOKUP = Method("specsim", "prompt-lookup", "numpy fp32")


def line(tokens: float, draft: float, total: float, plain: float) -> dict[str, Any]:
    step = {"draft": draft, "verify": total - draft, "overhead": 0.0, "total": total}
    return {
        "rule": "chain", "k": 4, "nodes_per_step": 4.0, "acceptance": [0.5],
        "tokens_per_step": tokens, "step_ms": step, "plain_ms": plain, "context": 9,
    }  # fmt: skip


def cell(method: Method, *speedups: float, kind: str = "code", plain: float = 10.0,
         said: dict[str, Any] | None = None, text: str = "a") -> Cell:  # fmt: skip
    place = Place("small", 1, kind, text, 0.0)
    return Cell(place, method, plain / speedups[0], plain, [*speedups], said)


def table(*given: Cell) -> Table:
    (made,) = tables(given)
    return made


def test_speed_ups_are_over_the_fastest_plain_decoding() -> None:
    slow = cell(TORCH, 0.5)
    made = table(slow, cell(LOOKUP, 1.5, said=line(2, 1, 13, 10)))
    assert made.fastest == BASE
    assert [row.method.name for row in made.rows] == [
        "prompt-lookup, chain", "plain", "plain",
    ]  # fmt: skip
    assert [row.speedup for row in made.rows] == [1.5, 1.0, 0.5]
    made = table(cell(TORCH, 2.0), cell(LOOKUP, 1.5, said=line(2, 1, 13, 10)))
    assert made.fastest == TORCH
    assert [row.speedup for row in made.rows] == [1.0, 0.75, 0.5]


def test_of_what_transformers_does_in_two_formats_the_faster_is_shown() -> None:
    theirs = [
        cell(Method("transformers", name, numbers), up)
        for name, numbers, up in [
            ("prompt-lookup", "fp32", 0.5),
            ("prompt-lookup", "bf16", 0.6),
            ("plain", "fp32", 0.3),
            ("plain", "bf16", 0.4),
        ]
    ]
    shown = [row.method[1:] for row in table(*theirs).rows]
    assert shown == [
        ("plain", "numpy fp32"), ("prompt-lookup", "bf16"), ("plain", "bf16"),
        ("plain", "fp32"),
    ]  # fmt: skip


def test_times_of_a_busy_hour_are_scaled_to_the_quickest() -> None:
    quiet = cell(LOOKUP, 1.25, said=line(2, 1, 16, 10))
    busy = cell(LOOKUP, 1.25, said=line(2, 3, 48, 30), plain=30.0, text="b")
    for both in ([quiet, busy], [busy, quiet]):
        row = table(*both).rows[0]
        assert row.token_ms == 8
        assert row.tokens_per_step == 2
        assert "save 10.0 ms; drafting costs 1.00 ms, verifying" in row.why
        assert row.why.endswith("4.0 drafted 5.00 ms")


def test_lines_are_pooled_over_steps() -> None:
    """Of as many tokens: one in 3 steps, one in 1."""
    one, other = line(1, 2, 10, 10), line(3, 6, 14, 10)
    made = pooled([(one, 1.0), (other, 1.0)])
    assert made["tokens_per_step"] == pytest.approx(6 / 4)
    assert made["step_ms"]["draft"] == pytest.approx((3 * 2 + 6) / 4)
    assert made["speedup"] == pytest.approx(6 * 10 / (3 * 10 + 14))


def test_a_row_shows_the_spread_by_kind() -> None:
    given = [
        cell(TORCH, 0.5, 0.7, 0.6),
        cell(TORCH, 0.4, kind="edit"),
    ]
    text = page.markdown(Results([cells.here()], given))
    assert "| 0.60 (0.50 to 0.70) |  | 0.40 |" in text
    assert "### small, 1 thread, temperature 0" in text
    assert "2 prompts" in text


def test_predictions_are_set_beside_what_was_measured() -> None:
    said = line(2, 1, 16, 10) | {"predicted": 1.5}
    text = page.markdown(Results([], [cell(LOOKUP, 1.25, said=said)]))
    assert "Of 1 measured speed-ups" in text
    assert "off by 20% in the median, +20% on balance" in text
    assert "| 1.50 |" in text


def test_what_is_added_is_read_and_where_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    assert cells.read(file) == Results([], [])
    made = [cell(TORCH, 0.5), cell(LOOKUP, 1.25, said=line(2, 1, 16, 10))]
    for each in made:
        cells.add(file, each)
    read = cells.read(file)
    assert read == Results([cells.here()], made)
    cells.write(file, read)
    assert cells.read(file) == read


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"place": [1]}', '{"a": 1}'])
def test_a_line_that_is_no_cell_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "made.jsonl"
    file.write_text(f"{text}\n")
    with pytest.raises(Bad, match="line 1 is no cell"):
        cells.read(file)


def test_a_page_without_markers_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# A page")
    with pytest.raises(Bad, match="it has no <!-- league -->"):
        page.update(file, Results([], []))


def test_the_page_has_the_tables_of_the_recorded_results(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(PAGE.read_text("utf-8"), "utf-8")
    page.update(file, cells.read(RECORDED))
    assert file.read_text("utf-8") == PAGE.read_text("utf-8")
