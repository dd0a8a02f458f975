"""The shipped rows: what is predicted, what is not, and what never matters."""

import csv
import json
import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from specsim.roofline.validation import columns, reading
from specsim.roofline.validation.compare import compared
from specsim.roofline.validation.metrics import Outcome
from specsim.roofline.validation.report import QUANTITIES, Validation, validate

FOLDER = files("specsim") / "data" / "measurements"


@pytest.fixture(scope="module")
def shipped() -> Validation:
    return validate()


def test_every_row_is_predicted_or_skipped_for_a_reason(shipped: Validation) -> None:
    made = shipped.as_dict()
    assert made["rows"] == made["predicted"] + len(made["skipped"])
    assert made["rows"] > 3000
    assert all(row["reason"] and row["id"] for row in made["skipped"])
    assert sum(made["reasons"].values()) == len(made["skipped"])


def test_the_stable_keys(shipped: Validation) -> None:
    made = json.loads(json.dumps(shipped.as_dict(), allow_nan=False))
    assert {"rows", "predicted", "skipped", "metrics", "groups"} <= set(made)
    assert set(made["metrics"]) == set(QUANTITIES)
    keys = {"n", "mape", "median_ape", "p90_ape", "bias", "coverage"}
    for held in made["metrics"].values():
        assert set(held) == keys
        assert 0 <= held["coverage"] <= 1


def test_groups_of_one_kind_hold_every_outcome_once(shipped: Validation) -> None:
    for quantity, held in shipped.metrics.items():
        for by in ("engine", "device", "format", "model", "batch", "calibrated"):
            counts = [
                group["n"]
                for group in shipped.groups
                if (group["quantity"], group["by"]) == (quantity, by)
            ]
            assert sum(map(int, map(str, counts))) == held["n"]


def test_flagged_rows_are_predicted_and_listed(shipped: Validation) -> None:
    predicted = {each.id for each in shipped.outcomes}
    with (FOLDER / "decode.csv").open(encoding="utf-8") as lines:
        flagged = {row["id"] for row in csv.DictReader(lines) if row["flag"]}
    assert flagged <= predicted
    listed = {name for ids in shipped.flagged.values() for name in ids}
    assert flagged <= listed


def test_the_page_says_all_of_it(shipped: Validation) -> None:
    page = shipped.text()
    for word in (*QUANTITIES, *shipped.reasons, *shipped.flagged, "MAPE", "dense"):
        assert word in page
    assert max(map(len, page.splitlines())) < 200


def changed(
    form: columns.Format, change: Callable[[list[str]], list[str]]
) -> list[reading.Row]:
    """The shipped rows with other measurements."""
    rows = [row for row in reading.shipped() if row.format == form.name]
    for column in form.measured & set(rows[0].measured):
        cells = change([row.measured[column] for row in rows])
        for row, cell in zip(rows, cells, strict=True):
            dict.__setitem__(row.measured, column, cell)  # type: ignore[index]
    return rows


def shuffled(cells: list[str]) -> list[str]:
    return random.Random(0).sample(cells, len(cells))


@pytest.mark.parametrize("form", columns.FORMATS, ids=lambda form: form.name)
def test_measured_columns_are_never_inputs(form: columns.Format) -> None:
    rows = [row for row in reading.shipped() if row.format == form.name]
    before = {(each.id, each.quantity): each for each in compared(rows)[0]}
    for change in (shuffled, lambda cells: ["3.25"] * len(cells)):
        after = {
            (each.id, each.quantity): each
            for each in compared(changed(form, change))[0]
        }
        both = before.keys() & after.keys()
        assert len(both) >= 0.6 * len(before)
        for key in both:
            assert said(before[key]) == said(after[key])


def said(each: Outcome) -> tuple[float, float, float]:
    return each.low, each.predicted, each.high


@pytest.mark.parametrize("form", columns.FORMATS, ids=lambda form: form.name)
def test_a_question_has_no_measured_column(form: columns.Format) -> None:
    for row in reading.shipped():
        if row.format == form.name:
            assert not form.measured & set(row.asked)


def test_a_file_gives_what_the_same_rows_give_when_shipped(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes((FOLDER / "decode.csv").read_bytes())
    made, all_ = validate(file), validate()
    assert made.metrics["decode"] == all_.metrics["decode"]
    assert set(made.metrics) == {"decode"}


def test_nine_in_ten_of_the_usable_rows_are_predicted(shipped: Validation) -> None:
    for name in ("decode", "serving"):
        rows = sum(row.format == name for row in reading.shipped())
        skipped = sum(each.format == name for each in shipped.skipped)
        assert skipped <= 0.1 * rows


def test_fitted_constants_take_one_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("model,device,ms_per_step\nLlama-2-7B,A100 SXM 80GB,10\n")
    said = validate(file).text().splitlines()
    assert sum("tools/fit_" in line for line in said) == 1
    assert said[-1].startswith("constants fitted")
