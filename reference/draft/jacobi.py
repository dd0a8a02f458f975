"""Jacobi decoding: guess all of the next tokens at once, and improve the guess.

Santilli et al. (2023), "Accelerating transformer inference for translation via parallel
decoding", Algorithm 2. https://arxiv.org/abs/2305.10427
"""

from collections.abc import Sequence

import numpy as np

from ..probs import Probs
from ..proposal import Proposal, chain
from ..randomness import Source
from .lookup import Lookup


class Jacobi(Lookup):
    """The draft is the last guess; the target's likeliest tokens after it are the next.

    Tokens kept fall out of the guess on the left, and it is filled up on the right with
    the last tokens of the text, over and over.
    """

    def __init__(self) -> None:
        self._guess: list[int] = []

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """Exactly k tokens; no coins."""
        missing = range(len(self._guess), k)
        self._guess += [context[-1 - i % len(context)] for i in missing]
        return chain(self._guess[:k])

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Row i scores what comes after i guessed tokens."""
        self._guess = [int(np.argmax(row)) for row in rows[len(emitted) :]]
