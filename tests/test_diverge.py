"""Two transcripts, and whether what parts them is a bug."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle import transcripts
from specsim.oracle.divergence import (
    Divergence,
    Row,
    Transcript,
    agreed,
    distance,
    diverge,
)

PLAIN = (4, 5, 6, 7)
SPEC = (4, 5, 9, 7)


def judged(
    row: Row | None = None,
    narrow: Row | None = None,
    wide: Row | None = None,
    spec: Row | None = None,
    **also: Any,
) -> Divergence:
    """The verdict where the third token differs."""
    plain = Transcript(PLAIN, (), *((None, None, each) for each in (row, narrow, wide)))
    other = Transcript(SPEC, (), (None, None, spec))
    return diverge([plain], other, **also)


def test_the_same() -> None:
    made = diverge([Transcript(PLAIN)], Transcript(PLAIN))
    assert (made.verdict, made.exit_code, made.index) == ("same", 0, None)


def test_no_rows_is_inconclusive() -> None:
    made = judged()
    assert (made.verdict, made.exit_code) == ("inconclusive", 3)
    assert (made.index, made.plain, made.spec) == (2, 6, 9)
    assert made.reason == "no row is given at index 2, so no margin is known"


@pytest.mark.parametrize("row", [{}, {7: -1.0}, {6: -math.inf, 7: 0.0, 9: -math.inf}])
def test_a_row_without_either_token_is_told_apart_from_none(row: Row) -> None:
    made = judged(row)
    assert (made.verdict, made.margin) == ("inconclusive", None)
    assert made.reason == "the row at index 2 has no finite entry for token 6 or 9"


def test_the_first_row_that_has_the_tokens_counts() -> None:
    assert judged({7: -1.0}, narrow={6: -1.0, 9: -9.0}).margin == 8.0
    assert judged({7: -1.0}, reference={6: -1.0, 9: -5.0}).margin == 4.0


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [(0.0, "tie"), (0.0009, "tie"), (0.2, "numerics"), (0.3, "logic"), (5.0, "logic")],
)
def test_margin_alone(margin: float, verdict: str) -> None:
    assert judged({6: -1.0, 9: -1.0 - margin}).verdict == verdict


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize(
    ("moved", "verdict"), [(0.05, "logic"), (0.11, "numerics"), (2.1, "logic")]
)
def test_margin_against_what_the_widths_differ_by(
    moved: float, verdict: str, shift: float
) -> None:
    narrow = {6: 1.0, 9: 0.9, 1: 0.0}
    wide = {6: 1.0 + shift, 9: 0.9 + moved + shift, 1: 0.0 + shift}
    made = judged(None, narrow, wide)
    assert made.verdict == verdict
    assert made.margin == pytest.approx(0.1)
    assert made.spread == pytest.approx(moved / 2)


def test_a_margin_beyond_the_spread_is_logic_however_small() -> None:
    row = {6: 1.0, 9: 0.98, 1: 0.0}
    assert judged(row).verdict == "numerics"
    assert judged(row, spec={6: 1.0, 9: 0.981, 1: 0.0}).verdict == "logic"


def test_the_plain_and_the_speculative_row_differ_by_another_row() -> None:
    made = judged({6: 1.0, 9: 0.9, 1: -3.0}, spec={6: -3.0, 9: 2.0, 1: 0.0})
    assert made.verdict == "logic"
    assert made.spread is not None
    assert made.spread > 1


def test_tolerance_is_what_one_says_it_is() -> None:
    assert judged({6: 1.0, 9: 0.6}).verdict == "logic"
    assert judged({6: 1.0, 9: 0.6}, tolerance=0.5).verdict == "numerics"
    measured = {6: 1.0, 9: 0.6, 1: 0.0}
    assert judged(measured, spec=measured).verdict == "logic"
    assert judged(measured, spec=measured, tolerance=0.5).verdict == "numerics"


def test_a_token_that_is_not_among_the_likeliest_is_no_nearer_than_they_are() -> None:
    made = judged({6: -0.1, 3: -4.0})
    assert made.verdict == "logic"
    assert made.margin == pytest.approx(3.9)


def test_a_plain_run_that_is_not_greedy_proves_nothing() -> None:
    assert judged({6: -2.0, 9: -0.5}).verdict == "inconclusive"


@pytest.mark.parametrize("short", ["plain", "spec"])
def test_one_that_goes_on_is_logic(short: str) -> None:
    texts = [PLAIN[:3], PLAIN] if short == "plain" else [PLAIN, PLAIN[:3]]
    made = diverge([Transcript(texts[0])], Transcript(texts[1]))
    assert (made.verdict, made.index) == ("logic", 3)
    assert "ends" in made.text()


def test_the_nearest_plain_run_counts() -> None:
    runs = [Transcript((4, 1, 1, 1)), Transcript(PLAIN)]
    made = diverge(runs, Transcript(PLAIN))
    assert (made.verdict, made.plain_varies) == ("same", True)
    assert "differ among themselves" not in made.reason


def test_plain_runs_that_vary_are_no_proof() -> None:
    row = (None, None, {6: 0.0, 9: -3.0})
    runs = [Transcript(PLAIN, (), row), Transcript((4, 1, 1, 1))]
    made = diverge(runs, Transcript(SPEC))
    assert (made.verdict, made.plain_varies) == ("inconclusive", True)
    assert "plain runs differ" in made.text()


def test_helpers() -> None:
    assert agreed([], [1]) == 0
    assert distance({1: 0.0}, {2: 0.0}) == float("inf")


def write(path: Path, content: Any) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = [None, None, [0.0, 0, 0, 0, 0, 0, 3.0, 0, 0, 1.0], None]
    plain = write(tmp_path / "p", {"runs": [{"tokens": [*PLAIN], "rows": row}]})
    spec = write(tmp_path / "s", {"tokens": [*SPEC]})
    assert main(["diverge", plain, spec, "--json", "-"]) == 1
    made = json.loads(capsys.readouterr().out)
    assert (made["verdict"], made["index"], made["margin"]) == ("logic", 2, 2.0)
    assert main(["diverge", plain, spec, "--tolerance", "2.5"]) == 0
    assert main(["diverge", spec, plain]) == 3


def test_a_reference_says_the_row(tmp_path: Path) -> None:
    prompt = {"prompt": [6, 10, 13, 9, 11]}
    plain = write(tmp_path / "p", {**prompt, "tokens": [9, 5, 9]})
    spec = write(tmp_path / "s", {"tokens": [9, 5, 0]})
    assert main(["diverge", plain, spec]) == 3
    assert main(["diverge", plain, spec, "--reference", "probe"]) == 1


BAD = {
    "not JSON": "{",
    "deep": "[" * 100_000,
    "no runs": {"runs": []},
    "no tokens": {"rows": []},
    "a string": '"tokens"',
    "no ids": {"tokens": [1, -1]},
    "truth": {"tokens": [True]},
    "nothing said": {"tokens": []},
    "unknown": {"tokens": [1], "logits": []},
    "row of words": {"tokens": [1], "rows": [{"a": 1}]},
    "row that is a number": {"tokens": [1], "rows": [3]},
    "rows that are none": {"tokens": [1], "rows": {}},
    "fewer rows than tokens": {"tokens": [1, 2], "rows": [{"1": 0}]},
    "more rows than tokens": {"tokens": [1], "narrow": [None, None]},
    "row shorter than its token": {"tokens": [0, 3], "wide": [[0, 0], None]},
    "row shorter than the other file's token": {"tokens": [0], "rows": [[3.0]]},
    "NaN": '{"tokens": [1], "rows": [{"1": NaN}]}',
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path, capsys: Any) -> None:
    spec = write(tmp_path / "s", {"tokens": [1]})
    assert main(["diverge", write(tmp_path / "p", BAD[name]), spec]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "p") in line
    assert len(line) < 400


def test_other_bad_arguments(tmp_path: Path) -> None:
    one = write(tmp_path / "p", {"tokens": [1]})
    two = write(tmp_path / "q", {"runs": [{"tokens": [1]}, {"tokens": [2]}]})
    with pytest.raises(Bad, match="one speculative run"):
        transcripts.pair(one, two, None, None)
    with pytest.raises(Bad, match="tolerance"):
        transcripts.pair(one, one, None, float("nan"))
    with pytest.raises(Bad, match="no such file"):
        transcripts.load(str(tmp_path / "none"))
    with pytest.raises(Bad, match="prompt"):
        transcripts.pair(one, write(tmp_path / "r", {"tokens": [2]}), "probe", None)
    far = write(tmp_path / "f", {"tokens": [1], "prompt": [99]})
    with pytest.raises(Bad, match="only 16"):
        transcripts.pair(far, write(tmp_path / "r", {"tokens": [2]}), "probe", None)
