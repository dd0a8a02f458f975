"""Lookahead decoding: guesses improved in a window, n-grams collected from them.

Fu, Bailis, Stoica and Zhang (2024), "Break the sequential dependency of LLM inference
using lookahead decoding", Algorithm 2. https://arxiv.org/abs/2402.02057
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..probs import Probs
from ..proposal import Proposal, trie
from ..randomness import Source
from .lookup import Lookup

Words = tuple[int, ...]


class Lookahead(Lookup):
    """A window of n - 1 rows, oldest first, by `window` columns, and a pool of n-grams.

    Row r of column c guesses the token c + r + 1 places ahead. It sees row 0 up to its
    column, then its own column down to itself: so the window is a tree, and goes to the
    target as one, together with the pool's n-grams that begin with the last token. What
    the target finds likeliest after the newest row is the next row, and ends an n-gram
    in every column. Then the window moves on with the text.

    window: columns. n: length of the n-grams. pool: most n-grams kept of each beginning
    token, and verified at a time; the longest unused goes first. The window is scored
    whatever k is.
    """

    def __init__(self, window: int = 5, n: int = 4, pool: int = 5):
        if window < 1 or n < 2 or pool < 1:
            raise ValueError(
                f"window={window}, n={n}, pool={pool}: need 1, 2 and 1 or more"
            )
        self.window, self.n, self.most = window, n, pool
        self._rows: list[list[int]] = []
        self._pool: dict[int, list[Words]] = {}
        self._tree = trie([])
        self._fill: Sequence[int] = ()

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """The pool's n-grams, at most k levels of them, and the window; no coins."""
        self._fill = context
        while len(self._rows) < self.n - 1:
            self._rows.append(self._filled([], len(self._rows)))
        known = self._pool.get(context[-1], [])
        paths = [*self._columns()] if k else []
        self._tree = trie([*(words[:k] for words in reversed(known)), *paths])
        return self._tree

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Collect the n-grams, take in the new row, and move on."""
        if not self._tree.tokens:
            return
        ends = [self._tree.at(column) for column in self._columns()]
        newest = [int(np.argmax(rows[end + 1])) for end in ends if end is not None]
        for column in zip(*self._rows, newest, strict=True):
            self._collect(column)
        shift = len(emitted) - 1
        kept = [row[shift:] for row in [*self._rows[1:], newest]]
        self._rows = [self._filled(row, r) for r, row in enumerate(kept)]

    def _columns(self) -> Iterator[Words]:
        """The path down each column."""
        for c in range(self.window):
            below = [row[c] for row in self._rows[1:]]
            yield (*self._rows[0][: c + 1], *below)

    def _collect(self, words: Words) -> None:
        """Put an n-gram last in the pool of its first token."""
        known = self._pool.setdefault(words[0], [])
        if words[1:] in known:
            known.remove(words[1:])
        known.append(words[1:])
        del known[: -self.most]

    def _filled(self, row: list[int], r: int) -> list[int]:
        """The row, filled up with the last tokens of the text, over and over."""
        text, missing = self._fill, range(len(row), self.window)
        return row + [text[-1 - (i + r) % len(text)] for i in missing]
