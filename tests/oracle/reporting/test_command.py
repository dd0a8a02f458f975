"""specsim report, and the files that specsim check writes."""

import json
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.oracle.reporting import results
from tests.oracle.reporting.made import rejected, report, vile

ENGINES = "tests.oracle.engines"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for i, made in enumerate((report(), rejected(), vile())):
        names.append(str(tmp_path / f"{i}.json"))
        Path(names[-1]).write_text(results.document(made))
    return names


def test_one_result_for_every_reader(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = {name: tmp_path / name for name in ("html", "markdown", "badge", "junit")}
    options = [word for name, file in out.items() for word in (f"--{name}", str(file))]
    assert main(["report", files[1], *options]) == 0
    assert "REJECTED  mine:verify" in capsys.readouterr().out
    assert out["html"].read_text().startswith("<!doctype html>")
    assert out["markdown"].read_text().startswith("## ✗ REJECTED")
    assert json.loads(out["badge"].read_text())["color"] == "red"
    assert "<testsuites>" in out["junit"].read_text()


def test_several_results_are_a_matrix(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, summary = tmp_path / "m.html", tmp_path / "m.md"
    words = ["report", *files, "--html", str(page), "--markdown", str(summary)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "overall" in shown
    assert "\x1b" not in shown
    assert page.read_text().count("<article") == 3
    assert summary.read_text().startswith("| case |")
    assert main(["report", *files, "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["engines"]) == 3


def test_the_json_of_one_result_is_the_result(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", files[1], "--json", "-"]) == 0
    assert capsys.readouterr().out == Path(files[1]).read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--badge", "b.json"], "--badge and --junit are of one result"),
        (["--html", "no/such/folder/m.html"], "no such directory"),
        (["--html", ""], "no such directory"),
    ],
)
def test_what_cannot_be_written_is_told_first(
    files: list[str], words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *files, *words]) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert shown.err.count("\n") == 1


def test_check_writes_a_page_and_a_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, suite = tmp_path / "r.html", tmp_path / "r.xml"
    words = ["check", f"{ENGINES}:residual_is_target", "--html", str(page)]
    assert main([*words, "--junit", str(suite), "--json", "-"]) == 1
    made = json.loads(capsys.readouterr().out)
    assert made["witness"]["tv"] == "1/4"
    assert "REJECTED" in page.read_text()
    assert "<failure" in suite.read_text()
    results.made(made)


def test_a_page_is_of_an_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--html", "x.html"]) == 2
    assert "name one" in capsys.readouterr().err
