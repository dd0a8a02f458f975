"""What may be said of a text that is still growing, token by token."""

from collections.abc import Sequence

from specsim.generation.words import Words


class Speech:
    """The text of tokens, up to the first stop string in it.

    Nothing said is taken back: half a character waits for the other half, and what a
    stop string may have begun with waits until it is known. The text ends as if its
    characters came one by one, wherever tokens and blocks end: before the stop string
    that is complete first, the longest of several.

    stopped: whether a stop string has ended it.
    """

    def __init__(self, words: Words, stop: Sequence[str] = ()):
        self.words, self.stop = words, stop
        self.tokens: list[int] = []
        self.text, self.stopped = "", False

    def add(self, token: int, last: bool) -> str:
        """What more may be said; if this token is the last one, nothing has to wait."""
        self.tokens.append(token)
        text = self.words.text(self.tokens)
        text = text if last else text.rstrip("\ufffd")
        cut = self._cut(text)
        self.stopped = cut is not None
        if cut is None:
            cut = len(text) if last else self._sure(text)
        new = text[len(self.text) : cut]
        self.text += new
        return new

    def _cut(self, text: str) -> int | None:
        """Where the text ends, if a stop string is in it."""
        places = ((text.find(string), string) for string in self.stop)
        found = [(at + len(string), at) for at, string in places if at >= 0]
        return min(found)[1] if found else None

    def _sure(self, text: str) -> int:
        """How much of the text is no beginning of a stop string."""
        longest = max(map(len, self.stop), default=1)
        starts = range(max(0, len(text) - longest + 1), len(text))
        return next((at for at in starts if self._begins(text[at:])), len(text))

    def _begins(self, end: str) -> bool:
        return any(string.startswith(end) for string in self.stop)
