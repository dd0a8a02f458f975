"""Results go to a file and come back; what is none of ours is told on one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle.reporting import results
from specsim.oracle.vectors.schema import violations
from tests.oracle.reporting.made import rejected, report, vile


@pytest.mark.parametrize("made", [report(), rejected(), vile()])
def test_a_report_survives_the_file(made: Any, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_text(results.document(made))
    assert results.load(file) == made
    document = json.loads(file.read_text())
    assert not list(violations(document, results.schema(), results.schema()))
    assert {"verdict", "log10_e", "diagnosis", "witness", "tiers", "seconds",
            "replay"} <= document.keys()  # fmt: skip


def test_nothing_in_a_report_names_the_machine() -> None:
    assert report().versions.keys() == {"specsim", "python", "numpy", "platform"}
    assert len(report().versions["platform"].split()) == 2


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


WRONG = {
    "is a list": ("no result of a check", None),
    "other version": ("format 2, where", put("format", value=2)),
    "other thing": ("no result of a check", put("report", value="roofline")),
    "verdict": ("'fine' is none of", put("verdict", value="fine")),
    "tier": ("$.tiers[1].seconds", put("tiers", 1, "seconds", value="long")),
    "unknown key": ("$.tiers[1]: extra is unknown", put("tiers", 1, "extra", value=1)),
    "endless": ("not valid JSON", put("log10_e", value=float("nan"))),
    "huge number": ("$.log10_e", put("log10_e", value=1e300)),
    "odds": ("$.false_alarm", put("false_alarm", value=0)),
    "point": ("$.tiers[1].path[0]", put("tiers", 1, "path", 0, value=[1, 2, 3])),
    "rows": ("differ in length", put("witness", "found", value=[0.5])),
}


@pytest.mark.parametrize(("told", "change"), WRONG.values(), ids=WRONG)
def test_what_was_touched_is_refused(
    told: str, change: Callable[[Any], None] | None, tmp_path: Path
) -> None:
    document: Any = rejected().as_dict()
    document = json.loads(json.dumps(document))
    if change:
        change(document)
    file = tmp_path / "r.json"
    file.write_text(json.dumps(document if change else [document]))
    with pytest.raises(Bad) as caught:
        results.load(file)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "r.json" in str(caught.value)


def test_files_that_are_no_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = results.document(rejected())
    (tmp_path / "cut.json").write_text(whole[: len(whole) // 2])
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "binary.json").write_bytes(bytes(range(256)))
    (tmp_path / "suite.json").write_text('{"rules": [], "mutants": []}')
    with (tmp_path / "huge.json").open("wb") as huge:
        huge.truncate(results.MOST_BYTES + 1)
    names = {
        "cut.json": "not valid JSON, or cut short",
        "deep.json": "not valid JSON",
        "binary.json": "not valid JSON",
        "suite.json": "check of itself",
        "huge.json": "over 64,000,000 bytes",
        "none.json": "no such file",
        ".": "not a file",
    }
    for name, told in names.items():
        assert main(["report", str(tmp_path / name)]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.count("\n") == 1
        assert told in shown.err
