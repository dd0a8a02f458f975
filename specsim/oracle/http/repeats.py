"""Texts drawn again and again after the same prompts, against rows that are known.

In each context (a prompt and what was said after it) tokens are draws from a known row;
the bets are those of `specsim.oracle.evidence` on an unknown row. Of a large vocabulary
the likeliest words count one by one, and all others as one more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from specsim.oracle.evidence import LN10, Array, log_dirichlet, log_mean

Text = tuple[int, ...]
Context = tuple[int, Text]
WORDS = 32


@dataclass
class Repeats:
    """The money made by betting against the rows; infinite after an impossible token.

    log10_e: the largest so far.
    """

    log10_e: float = 0.0
    tokens: int = 0
    impossible: tuple[Context, int] | None = None
    _bins: dict[Context, tuple[Array, Array]] = field(default_factory=dict)
    _words: dict[Context, list[int]] = field(default_factory=dict)

    def observe(
        self,
        prompt: int,
        texts: Sequence[Text],
        rows: Mapping[Text, Array],
        impossible: Callable[[Text, int], bool] = lambda text, token: True,
    ) -> None:
        """Count texts after a prompt; rows by what was said before.

        impossible: whether a token without odds in its row is proof, and not numerics.
        """
        for text in texts:
            for i, token in enumerate(text):
                self.tokens += 1
                if rows[text[:i]][token] > 0:
                    self._count((prompt, text[:i]), token, rows[text[:i]])
                elif self.impossible is None and impossible(text[:i], token):
                    self.impossible = (prompt, text[:i]), token

    def _count(self, context: Context, token: int, row: Array) -> None:
        if context not in self._bins:
            words = [int(word) for word in np.argsort(-row, kind="stable")[:WORDS]]
            p = np.array([*row[words], max(0.0, 1 - row[words].sum())])
            self._words[context] = words
            self._bins[context] = p, np.zeros(len(p))
        words = self._words[context]
        where = words.index(token) if token in words else len(words)
        self._bins[context][1][where] += 1

    def value(self) -> float:
        """log10 of the money now, at the end of a round."""
        if self.impossible:
            self.log10_e = np.inf
        elif self._bins:
            width = max(len(p) for p, _ in self._bins.values())
            p, counts = (
                np.array(
                    [
                        np.pad(pair[i], (0, width - len(pair[i])))
                        for pair in self._bins.values()
                    ]
                )
                for i in (0, 1)
            )
            made = log_dirichlet(counts, np.where(counts > 0, np.maximum(p, 1e-300), p))
            prompts = sorted({prompt for prompt, _ in self._bins})
            some = np.zeros(len(prompts))
            np.add.at(
                some,
                [prompts.index(prompt) for prompt, _ in self._bins],
                log_mean(made, axis=1),
            )
            both = np.logaddexp(log_mean(some), log_mean(made.sum(0))) - np.log(2)
            self.log10_e = max(self.log10_e, float(both) / LN10)
        return self.log10_e

    def worst(self) -> tuple[Context, int | None, int, int, float]:
        """The word that is farthest off: context, word (None: all the rare ones), how
        often it came, of how many, and its odds.
        """
        found = None
        for context, (p, counts) in self._bins.items():
            want = counts.sum() * p
            with np.errstate(divide="ignore", invalid="ignore"):
                score = np.where(want > 0, (counts - want) ** 2 / want, 0)
            at = int(score.argmax())
            if found is None or score[at] > found[0]:
                words = [*self._words[context], None]
                cell = (
                    context,
                    words[at],
                    int(counts[at]),
                    int(counts.sum()),
                    float(p[at]),
                )
                found = score[at], cell
        assert found
        return found[1]
