"""A table over one number, and the pictures."""

import json
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.roofline import sweep


def test_doubles_up_to_and_including_the_end() -> None:
    made = sweep.over("batch=1:48", "8b", "h100")
    assert [value for value, _ in made.points] == [1, 2, 4, 8, 16, 32, 48]
    rates = [point.tokens_per_s for _, point in made.points]
    assert rates == sorted(rates)


def test_the_gpus_of_the_smallest_value_stay() -> None:
    made = sweep.over("batch=1,4096", "70b", "h100")
    assert {point.gpus for _, point in made.points} == {2}
    assert [point.fits for _, point in made.points] == [True, False]
    assert "DOES NOT FIT" in made.text()


def test_what_cannot_be_divided_is_said_and_left_out() -> None:
    made = sweep.over("gpus=1,2,3,4", "70b", "a100")
    assert [value for value, _ in made.points] == [1, 2, 4]
    assert list(made.refused) == [3]
    assert "gpus 3" in made.text()


@pytest.mark.parametrize(
    "said",
    ["", "batch", "batch=", "speed=1:2", "batch=4:1", "batch=a:b", "batch=0:8",
     "batch=1:2:3", "batch=0", "batch=" + ",".join(map(str, range(1, 2000)))],
)  # fmt: skip
def test_bad_ranges_are_refused_in_a_line(said: str) -> None:
    with pytest.raises(Bad, match=r"batch|over") as caught:
        sweep.over(said, "8b", "h100")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_table_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["roofline", "--model", "8b", "--gpu", "h100"]
    assert main([*words, "--over", "context=1024:8192", "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [row["context"] for row in made["rows"]] == [1024, 2048, 4096, 8192]
    assert all(
        row["low_ms"] <= row["step_ms"] <= row["high_ms"] for row in made["rows"]
    )


WORDS = "roofline", "--model", "8b", "--gpu", "h100"
DRAFT = "--drafter", "eagle3", "--k", "3", "--alpha", "0.7"


def test_columns_keep_apart_whatever_they_hold() -> None:
    lines = sweep.over("batch=1:131072", "8b", "h100").text().splitlines()[2:]
    cells = [line.replace("DOES NOT FIT", "").split() for line in lines[1:]]
    assert {len(each) for each in cells} == {7}
    assert "e+" not in "".join(lines)


def told(capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    assert main([*WORDS, *more, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("over", ["batch=1,64", "context=512,8192", "gpus=1,2"])
def test_speculation_beside_each_row(
    over: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = told(capsys, "--over", over)
    made = told(capsys, "--over", over, *DRAFT)
    name = plain["over"]
    for before, row in zip(plain["rows"], made["rows"], strict=True):
        beside = row.pop("speculation")
        assert row == before
        alone = told(capsys, f"--{name}", str(row[name]), *DRAFT)["speculation"]
        assert beside.pop("fits") == (alone["spare_bytes"] >= 0)
        assert beside == {key: alone[key] for key in beside}


def test_speculation_beside_each_row_in_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*WORDS, "--over", "batch=1:512", *DRAFT]) == 0
    head, _, names, *rows = capsys.readouterr().out.splitlines()
    assert "eagle3, 3 tokens drafted, 2.53 emitted a step" in head
    assert "plain ms  ms a token  speed-up   low  high" in names
    assert len(rows) == 10
    assert "2.13  1.81  2.50" in rows[0]
    assert rows[-1].endswith("DOES NOT FIT")


@pytest.mark.parametrize("more", [[], ["--over", "batch=1:8"]])
def test_pictures_are_drawn(more: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "picture.svg"
    words = ["roofline", "--model", "mixtral-8x7b", "--gpu", "h100", *more]
    assert main([*words, "--plot", str(file)]) == 0
    assert file.read_text().rstrip().endswith("</svg>")
    assert main([*words, "--plot", str(tmp_path / "picture.txt")]) == 2
    assert main([*words, "--plot", str(tmp_path / "nowhere" / "a.png")]) == 2
