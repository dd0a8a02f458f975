"""Any bytes come back as they were, and merges are the commonest pairs."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from specsim import tokens
from specsim.errors import Bad
from specsim.tokens import PIECES, Tokenizer, learn

TEXT = b"def add(one, two):\n    return one + two\n\n\ndef sub(one):\n    return one\n"
LEARNT = learn(20 * TEXT, 300)


@given(data=st.binary(max_size=200))
def test_any_bytes_come_back(data: bytes) -> None:
    for words in (LEARNT, Tokenizer([])):
        assert words.decode(words.encode(data)) == data
    assert b"".join(PIECES.findall(data)) == data


@given(text=st.text(max_size=50))
def test_any_text_comes_back(text: str) -> None:
    assert LEARNT.text(LEARNT.encode(text)) == text


def test_without_merges_tokens_are_bytes() -> None:
    assert Tokenizer([]).encode("aé") == [97, 0xC3, 0xA9]
    assert Tokenizer([]).size == 256


def test_half_a_character_is_shown_as_such() -> None:
    assert Tokenizer([]).text([97, 0xC3]) == "a\ufffd"


def test_merges_go_by_rank_from_the_left() -> None:
    made = Tokenizer([(ord("b"), ord("c")), (ord("a"), ord("b")), (257, ord("c"))])
    assert made.encode("abc") == [97, 256]
    assert made.encode("abab") == [257, 257]
    assert Tokenizer([(97, 97)]).encode("aaa") == [256, 97]
    assert Tokenizer([(97, 97), (256, 256)]).encode("aaaaa") == [257, 97]


def test_nothing_is_merged_across_pieces() -> None:
    assert PIECES.findall(b"  return self._x1 != _y 22\n\n    # end\t\n") == [
        b"  ", b"return", b" self", b"._", b"x", b"1", b" !=", b" _y", b" ",
        b"2", b"2", b"\n\n    ", b"#", b" end", b"\t\n",
    ]  # fmt: skip


def test_the_commonest_pair_is_merged_first_and_the_lowest_of_equals() -> None:
    assert learn(b"ababab1cdcd", 300).merges == [(97, 98), (99, 100), (256, 256)]
    assert learn(b"ba1ba1ab1ab", 257).merges == [(97, 98)]
    assert learn(b"abc", 300).merges == []


def test_learning_is_counting_over_and_over() -> None:
    """The counts kept up to date are those of all pieces counted anew."""
    merges: list[tuple[int, int]] = []
    for pair in LEARNT.merges:
        words = Tokenizer(merges)
        counts = Counter(
            found
            for piece in PIECES.findall(20 * TEXT)
            for found in pairwise(words.encode(piece))
        )
        most = max(counts.values())
        assert pair == min(found for found, count in counts.items() if count == most)
        merges.append(pair)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    LEARNT.save(tmp_path / "t.json")
    assert tokens.load(tmp_path / "t.json").merges == LEARNT.merges
    assert tokens.known(tmp_path / "t.json")
    (tmp_path / "t.json").write_text('{"version": "1.0", "merges": []}')
    assert not tokens.known(tmp_path / "t.json")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"merges": 3}',
        '{"merges": [[1]]}',
        '{"merges": [[1, "x"]]}',
        '{"other": []}',
        '{"merges": [[1, 256]]}',
        '{"merges": [[-1, 2]]}',
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(Bad, match=r"t\.json") as caught:
        tokens.load(tmp_path / "t.json")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Bad, match="no list of merges"):
        tokens.load(tmp_path / "t.json")


@pytest.mark.parametrize("token", [-1, LEARNT.size])
def test_a_token_that_there_is_none_of_is_refused(token: int) -> None:
    with pytest.raises(Bad, match=f"token {token} is not in"):
        LEARNT.decode([token])


def test_the_file_is_small(tmp_path: Path) -> None:
    LEARNT.save(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text())["merges"][0] == [
        *LEARNT.merges[0]
    ]
