"""Columns nobody understands are listed, with the name they may have meant."""

from importlib.resources import files
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.roofline.validation import columns, reading
from specsim.roofline.validation.compare import compared
from specsim.roofline.validation.report import Validation, validate

PAGE = Path(__file__).parents[3] / "docs" / "roofline.md"
CELLS = {"model": "Llama-2-7B", "device": "A100 SXM 80GB", "ms_per_step": "10"}


def made(tmp_path: Path, **cells: str) -> Validation:
    """What is said of a file of one row."""
    row = CELLS | cells
    file = tmp_path / "rows.csv"
    file.write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
    return validate(file)


def test_columns_under_other_names_are_listed(tmp_path: Path) -> None:
    said = made(tmp_path, weights="int4", context="4000", mood="fine")
    assert said.predicted == 1
    assert said.as_dict()["columns_not_understood"] == {
        "weights": "weight_format",
        "context": "ctx_avg",
        "mood": "",
    }
    assert said.text().splitlines()[1] == (
        "columns not understood: weights (did you mean weight_format?), "
        "context (did you mean ctx_avg?), mood"
    )


def test_a_name_that_is_there_is_not_proposed(tmp_path: Path) -> None:
    said = made(tmp_path, weights="int4", weight_format="int4", weight_formt="x")
    assert said.unknown == {"weights": "", "weight_formt": ""}


def test_misspelt_columns(tmp_path: Path) -> None:
    said = made(tmp_path, Batch="4", wieght_format="int4", promptlen="9")
    assert said.unknown == {
        "Batch": "batch",
        "wieght_format": "weight_format",
        "promptlen": "prompt_len",
    }


@pytest.mark.parametrize("name", ["split", "holdout_kind", "notes", "source", "id"])
def test_known_extras_stay_silent(tmp_path: Path, name: str) -> None:
    said = made(tmp_path, **{name: "x"})
    assert not said.unknown
    assert "not understood" not in said.text()


def test_the_shipped_files_have_no_strange_column() -> None:
    assert columns.strange(reading.columns(reading.shipped())) == {}


def test_many_and_monstrous_columns_stay_one_short_line(tmp_path: Path) -> None:
    strange = {f"x{at}\x1b" + "y" * 9000: "1" for at in range(300)}
    said = made(tmp_path, **strange)
    line = said.text().splitlines()[1]
    assert line.isprintable()
    assert len(line) < 1000
    assert line.endswith("and 288 more")


def test_a_file_of_no_format_is_told_the_near_names(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("model,gpu,tok/s\nx,y,3\n")
    with pytest.raises(Bad, match=r"\('gpu' for device\?, 'tok/s' for value\?\)$"):
        validate(file)


@pytest.mark.parametrize("form", columns.FORMATS, ids=lambda form: form.name)
def test_the_page_explains_every_column_that_is_read(form: columns.Format) -> None:
    page = PAGE.read_text()
    assert all(f"`{name}`" in page for name in form.read)


@pytest.mark.parametrize("form", columns.FORMATS, ids=lambda form: form.name)
def test_other_names_mean_columns_that_are_read(form: columns.Format) -> None:
    assert set(form.other.values()) <= form.read
    assert not set(form.other) & form.read


@pytest.mark.parametrize("name", ["decode", "serving", "speculation"])
def test_what_is_listed_as_read_is_all_that_is_asked(name: str) -> None:
    """Rows stripped to the columns read are predicted the same."""
    kept = next(form.read for form in columns.FORMATS if form.name == name)
    rows = [row for row in reading.shipped() if row.format == name][::7]
    bare = [
        reading.Row(
            row.format,
            row.id,
            {key: cell for key, cell in row.asked.items() if key in kept},
            {key: cell for key, cell in row.measured.items() if key in kept},
        )
        for row in rows
    ]
    before, after = (
        [(each.id, each.low, each.predicted, each.high) for each in compared(held)[0]]
        for held in (rows, bare)
    )
    assert before == after


def test_no_shipped_row_is_recalled() -> None:
    folder = files("specsim") / "data" / "measurements"
    for name in ("decode", "serving", "speculation", "skinny", "other"):
        held = (folder / f"{name}.csv").read_text(encoding="utf-8").lower()
        assert not [word for word in ("recall", "memory", "stored") if word in held]


def test_recalled_rows_of_other_files_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "method,target,device,tau_tokens_per_step,speedup,evidence\n"
        "EAGLE-3,Llama-3.1-8B,H100,4,3,recalled\n"
    )
    skipped = validate(file).skipped[0]
    assert f"{skipped.reason}: {skipped.what}" == "no evidence: recalled"


def test_help_points_to_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["validate", "--help"])
    assert "docs/roofline.md" in capsys.readouterr().out
