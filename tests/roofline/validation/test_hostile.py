"""Files that are none, and rows that say nothing: one line, or a reason."""

from pathlib import Path

import pytest

from specsim.errors import Bad
from specsim.roofline.validation import reading
from specsim.roofline.validation.report import validate

HEADER = "id,model,device,dev_bw_gbps,batch,metric,value,ms_per_step"
GOOD = "a,Llama-2-7B,A100 SXM 80GB,2039,1,tok/s/user,100,"


def refused(path: Path, said: str) -> None:
    with pytest.raises(Bad, match=said) as caught:
        validate(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n\n\n", "empty"),
        (HEADER.encode(), "no rows"),
        (b"a,b,c\n1,2,3\n", "no known format"),
        (b"model,device\nx,y\n", "ms_per_step or value"),
        (b"model,device,value,model\n", "stands there twice"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        ("größe,model".encode("latin-1"), "not UTF-8"),
        (HEADER.encode("utf-16"), "not UTF-8"),
        (f'{HEADER}\n"a"b,{GOOD}\n'.encode(), "line 2: not CSV"),
        (f"{HEADER}\n{'x' * 200_000}\n".encode(), "not CSV"),
    ],
)
def test_files(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(content)
    refused(file, said)


def test_paths(tmp_path: Path) -> None:
    refused(tmp_path, "not a file")
    refused(tmp_path / "none.csv", "no such file")
    refused(Path("a\0b"), "no such file")
    refused(Path("x" * 5000), "cannot be read")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([HEADER, GOOD, GOOD]))
    monkeypatch.setattr(reading, "MOST_ROWS", 1)
    refused(file, "over 1 rows")
    monkeypatch.setattr(reading, "MOST_BYTES", 10)
    refused(file, "over 10 bytes")


ROWS = {
    "short": ("b,Llama-2-7B", "not as many cells as columns"),
    "long": (GOOD + ",x,y", "not as many cells as columns"),
    "no model": (",,A100,,1,tok/s/user,100,", "no model named"),
    "zero bytes": ("b,\0,A100\0,,1,tok/s/user,100,", "no model named"),
    "no device": ("b,Llama-2-7B,,,1,tok/s/user,100,", "unknown device, no bandwidth"),
    "no size": ("b,Acme,A100,,1,tok/s/user,100,", "unknown model of unknown size"),
    "no figure": ("b,Llama-2-7B,A100,,1,tok/s/user,,", "no value"),
    "not a number": ("b,Llama-2-7B,A100,,many,tok/s/user,1,", "batch is not a number"),
    "negative": ("b,Llama-2-7B,A100,,-1,tok/s/user,1,", "batch is out of range"),
    "infinite": ("b,Llama-2-7B,A100,inf,1,tok/s/user,1,", "dev_bw_gbps is out of"),
    "zero step": ("b,Llama-2-7B,A100,,1,,,0", "ms_per_step is 0"),
    "zero value": ("b,Llama-2-7B,A100,,1,tok/s/user,0,0", "value is 0"),
    "no metric": ("b,Llama-2-7B,A100,,1,,100,0", "value without a metric"),
    "metric": ("b,Llama-2-7B,A100,,1,parsecs,1,", "unknown metric"),
    "formula": ("=cmd(),=1+1,=HYPERLINK(),,1,tok/s/user,1,", "no model"),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_bad_row_is_skipped_with_its_reason_and_the_rest_is_not(
    tmp_path: Path, name: str
) -> None:
    line, said = ROWS[name]
    file = tmp_path / "rows.csv"
    file.write_text("\n".join([HEADER, GOOD, line, GOOD]))
    made = validate(file)
    assert (made.rows, made.predicted) == (3, 2)
    assert made.skipped[0].reason.startswith(said)
    assert made.as_dict()["reasons"] == {made.skipped[0].reason: 1}


def test_byte_order_mark_blank_lines_and_windows_ends(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(("\ufeff" + "\r\n".join([HEADER, "", GOOD, ""])).encode())
    assert validate(file).predicted == 1


def test_rows_without_an_id_are_told_by_their_number(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("model,device,value,metric\nAcme,A100,1,tok/s/user\n")
    assert validate(file).skipped[0].id == "row 1"


def test_columns_nobody_asked_for_are_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(f"split,{HEADER},mood\ndev,{GOOD},fine\n")
    assert validate(file).predicted == 1
