"""A toy language model with rational rows, small enough to enumerate."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..probs import Probs
from ..proposal import Proposal, Rows, score


def row(weights: Sequence[int] | NDArray[Any]) -> Probs:
    """Integer weights as a row of Fractions.

    >>> row([1, 0, 2])
    array([Fraction(1, 3), Fraction(0, 1), Fraction(2, 3)], dtype=object)
    """
    total = int(sum(weights))
    return np.array([Fraction(int(w), total) for w in weights], dtype=object)


def constant(*rows: Sequence[int]) -> Rows:
    """Row d after d tokens, whatever they are; the last row ever after."""
    made = [row(weights) for weights in rows]
    return lambda prefix: made[min(len(prefix), len(made) - 1)]


def table(seed: int, vocab: int, most: int = 5) -> Rows:
    """Rows of weights 0 to `most`, different after each prefix; some are zero."""

    @cache
    def rows(prefix: tuple[int, ...]) -> Probs:
        weights = np.random.default_rng([seed, *prefix]).integers(0, most + 1, vocab)
        weights[len(prefix) % vocab] += 1
        return row(weights)

    return rows


@cache
def argmax(rows: Rows) -> Rows:
    """The same model at temperature 0: one-hot at the most likely token, lowest id."""

    @cache
    def greedy(prefix: tuple[int, ...]) -> Probs:
        probs = rows(prefix)
        return row(np.arange(len(probs)) == np.argmax(probs))

    return greedy


class Table:
    """Rows behind the interface of a model with a memory (reference/decode.py).

    Hidden states are empty (n + 1, 0): a table has none.
    """

    def __init__(self, rows: Rows):
        self.rows = rows
        self.context: tuple[int, ...] = ()
        self._tree = Proposal([], [], None, "fixed")

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Probs, Probs]:
        self._tree.tokens.extend(tokens)
        self._tree.parents.extend(parents)
        rows = score(lambda path: self.rows((*self.context, *path)), self._tree)
        new = [0, *range(len(rows) - len(tokens), len(rows))]
        return rows[new], np.zeros((len(new), 0))

    def keep(self, path: Sequence[int]) -> None:
        self.context += tuple(self._tree.tokens[node] for node in path)
        self._tree = Proposal([], [], None, "fixed")
