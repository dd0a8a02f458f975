"""JSON that somebody else wrote."""

from pathlib import Path

import pytest

from specsim import jsonfile
from specsim.errors import Bad


def test_what_is_in_the_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": [1, NaN]}')
    assert jsonfile.read(file, 100, "mend it")["a"][0] == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not valid JSON, or cut short"),
        (b"", "not valid JSON, or cut short"),
        (b"\xff\xfe", "not valid JSON, or cut short"),
        (b"[" * 90_000, "not valid JSON, or cut short"),
        (b"[NaN]", "not valid JSON, or cut short"),
        (b"[1e9]" + b" " * 100_000, "over 100,000 bytes"),
    ],
)
def test_what_is_none_is_refused_in_one_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    file = tmp_path / "a\n.json"
    file.write_bytes(content)
    with pytest.raises(Bad) as refused:
        jsonfile.read(file, 100_000, "mend it", finite=True)
    assert str(refused.value) == f"{tmp_path}/a?.json: {told}; mend it"


def test_a_folder_or_nothing_is_no_file(tmp_path: Path) -> None:
    for path, told in (tmp_path, "not a file"), (tmp_path / "x", "no such file"):
        with pytest.raises(Bad, match=f": {told}; mend it"):
            jsonfile.read(path, 10, "mend it")
