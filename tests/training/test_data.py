"""Texts are read whole, and what is none is refused in one line."""

from pathlib import Path

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.tokens import Tokenizer
from specsim.training import data


def test_files_and_folders_are_read_in_order(tmp_path: Path) -> None:
    for name, text in {"b.txt": "two", "a.py": "one", "c.bin": "no", "d": "x"}.items():
        (tmp_path / name).write_text(text)
    assert data.read([tmp_path, tmp_path / "d"]) == ["one", "two", "x"]


def test_a_zero_byte_ends_each_text() -> None:
    found = data.tokens(["ab", "é"], Tokenizer([(97, 98)]))
    assert found.dtype == np.int32
    assert found.tolist() == [256, 0, 0xC3, 0xA9, 0]


def test_texts_of_another_tokenizer_are_as_it_encodes_them() -> None:
    class Lengths:
        def encode(self, text: str) -> list[int]:
            return [len(text)]

    assert data.tokens(["ab", "c"], Lengths()).tolist() == [2, 1]


def test_a_digest_tells_arrays_apart() -> None:
    one = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert data.digest(one, one) == data.digest(one.copy(), one)
    assert len({data.digest(one), data.digest(one + 1), data.digest(one, one)}) == 3
    assert data.digest(one.T) == data.digest(np.ascontiguousarray(one.T))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"abc\xff\xfe\x00", "no UTF-8 text (byte 3)"),
        (b"a\0b", "holds zero bytes"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    refused(tmp_path / "x.txt", "x.txt", words)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "no.txt", "no.txt", "No such file")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "x.bin").write_bytes(b"x")
    refused(tmp_path / "bare", "no text in this folder")


def refused(path: Path, *words: str) -> None:
    with pytest.raises(Bad) as caught:
        data.read([path])
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)
