"""Text that grows token by token, and ends anywhere."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from specsim.generation.speech import Speech
from specsim.oracle.loops import cast, trials

STOPS = st.lists(st.text("abc.", min_size=1, max_size=4), max_size=3)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), STOPS)
def test_it_ends_as_if_characters_came_one_by_one(
    tokens: list[int], stop: list[str]
) -> None:
    trials.speech_ends_character_by_character(tokens, stop)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), STOPS)
def test_what_may_yet_be_a_stop_string_is_not_said(
    tokens: list[int], stop: list[str]
) -> None:
    """Nor is anything else withheld."""
    speech = Speech(cast.Spelling(), stop)
    for n, token in enumerate(tokens, 1):
        speech.add(token, last=False)
        if speech.stopped:
            return
        text = cast.Spelling().text(tokens[:n])
        held = text[len(speech.text) :]
        starts = {words[:i] for words in stop for i in range(1, len(words))}
        ends = {text[i:] for i in range(len(text) + 1)}
        assert held == max(starts & ends, key=len, default="")


class Bytes:
    """Words of one byte."""

    def encode(self, text: str) -> list[int]:
        return [*text.encode()]

    def text(self, tokens: Sequence[int]) -> str:
        return bytes(tokens).decode(errors="replace")


@given(st.text(max_size=6))
def test_characters_are_said_whole(text: str) -> None:
    tokens = Bytes().encode(text)
    speech = Speech(Bytes())
    pieces = [speech.add(token, False) for token in tokens]
    assert "".join(pieces) == text.rstrip("\ufffd")
    assert all(piece in text for piece in pieces)


def test_half_a_character_at_the_end_is_shown_as_such() -> None:
    speech = Speech(Bytes())
    euro = Bytes().encode("€")
    assert [speech.add(token, token is euro[1]) for token in euro[:2]] == ["", "\ufffd"]
