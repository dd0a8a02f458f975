"""An n-gram model of the text so far: what most often followed the last words.

Counts with back-off, as in llama.cpp's lookup decoding; Stern, Shazeer and Uszkoreit
(2018), "Blockwise parallel decoding for deep autoregressive models", drafts before it.
https://arxiv.org/abs/1811.03115
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..proposal import Proposal, chain
from ..randomness import Source
from .lookup import Lookup

Words = tuple[int, ...]


class NGram(Lookup):
    """Counts what followed each n - 1 tokens, n from 2 to `longest`.

    The draft follows the token counted most often after the longest words known, the
    lowest of equals, as long as one was counted at least `least` times. `corpus` is
    text to count beforehand; the drafted tokens themselves are not counted.
    """

    def __init__(
        self, longest: int = 4, least: int = 1, corpus: Sequence[Sequence[int]] = ()
    ):
        if not (longest >= 2 and least >= 1):
            raise ValueError(
                f"longest={longest}, least={least}: need longest >= 2 and least >= 1"
            )
        self.longest, self.least = longest, least
        self._followed: dict[Words, Counter[int]] = {}
        for text in [*corpus, ()]:
            self._seen = 0
            self._count(text)

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k tokens; no coins."""
        self._count(context)
        text = [*context[-self.longest :]]
        for _ in range(k):
            if (token := self._next(text)) is None:
                break
            text.append(token)
        return chain(text[len(context[-self.longest :]) :])

    def _count(self, text: Sequence[int]) -> None:
        """Count the tokens that are new since last time."""
        for end in range(self._seen, len(text)):
            for n in range(1, min(self.longest - 1, end) + 1):
                words = tuple(text[end - n : end])
                self._followed.setdefault(words, Counter())[text[end]] += 1
        self._seen = len(text)

    def _next(self, text: list[int]) -> int | None:
        for followed in self._known(text):
            token, count = min(followed.items(), key=lambda item: (-item[1], item[0]))
            if count >= self.least:
                return token
        return None

    def _known(self, text: list[int]) -> Iterator[Counter[int]]:
        """What followed the last tokens, the most of them first."""
        for n in range(min(self.longest - 1, len(text)), 0, -1):
            if followed := self._followed.get(tuple(text[-n:])):
                yield followed
