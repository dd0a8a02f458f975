"""A row of logits as weights: read once, into a buffer that stays in the cache.

NumPy's exp is the fastest that runs everywhere; torch sums and finds maxima faster.
"""

from math import isfinite
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Words = NDArray[Any]
BLOCK = 256
"""Words that are summed together: a draw looks for its block, then in it."""
SAFE = 1e-15, 1e30
"""Sums between which exp of unshifted logits has lost nothing in float32."""


class Row:
    """Weights (V,) of words, not normalised, and their sum `mass`.

    A row that has no law (NaN, +inf, no word left) has weights and mass 0.
    """

    def __init__(self, vocab: int, dtype: torch.dtype):
        room = torch.zeros(-(-vocab // BLOCK), BLOCK, dtype=dtype)
        self._blocks, self._flat = room, room.view(-1)[:vocab]
        self.words: Words = self._flat.numpy()
        self._sums = self._blocks.sum(1).numpy()
        self.mass = 0.0

    def read(self, logits: Tensor, temperature: float = 1.0) -> "Row":
        """Weights exp(logits / temperature); temperature 0 leaves the lowest argmax."""
        if temperature == 0:
            return self._only(logits)
        self._exp(self._scaled(logits, 1 / temperature))
        if not SAFE[0] < self.mass < SAFE[1]:
            self._flat.copy_(logits).sub_(logits.max().to(self._flat.dtype))
            self._exp(self._scaled(self._flat, 1 / temperature))
        if not isfinite(self.mass):
            self._flat.zero_()
            self.sum()
        return self

    def copy(self, weights: Tensor) -> "Row":
        """Weights as they are."""
        self._flat.copy_(weights)
        return self.sum()

    def weight(self, word: int) -> float:
        """The probability of a word; 0 in a row that has no law."""
        return float(self.words[word]) / self.mass if self.mass > 0 else 0.0

    def take(self, word: int) -> float:
        """The weight of a word, which loses it; `sum` is to be called after."""
        weight, self.words[word] = float(self.words[word]), 0
        return weight

    def less(self, other: "Row", share: float = 1.0) -> float:
        """Become max(share * p - q, 0), of p this row and q the other, which is spoilt.

        How much mass that is, of the 1 that p has; the weights stay as large as before.
        """
        whole = self.mass
        if not share * whole > 0:
            self.words[:] = 0
            self.sum()
            return 0.0
        scale = self.words.dtype.type(whole / (other.mass * share))
        np.multiply(other.words, scale, out=other.words)
        np.subtract(self.words, other.words, out=self.words)
        np.maximum(self.words, 0, out=self.words)
        return share * self.sum().mass / whole

    def sum(self) -> "Row":
        """Take the sums anew, after the words were written to."""
        torch.sum(self._blocks, 1, out=torch.from_numpy(self._sums))
        self.mass = float(self._sums.sum(dtype=np.float64))
        return self

    def top(self) -> Words:
        """The largest weight of each block."""
        largest: Words = self._blocks.amax(1).numpy()
        return largest

    def draw(self, coin: float) -> int:
        """The first word with cdf > coin * mass, of weight > 0 however sums round."""
        upto = self._sums.cumsum(dtype=np.float64)
        block = int(np.searchsorted(upto, min(coin, BELOW_ONE) * upto[-1], "right"))
        rest = coin * upto[-1] - (upto[block - 1] if block else 0)
        inside = self._blocks[block].numpy()
        cdf = np.where(inside > 0, inside.cumsum(dtype=np.float64), 0)
        rest = min(rest, np.nextafter(cdf.max(), 0))
        return BLOCK * block + int((cdf > rest).argmax())

    def _scaled(self, logits: Tensor, by: float) -> Words:
        """What exp is taken of: the logits themselves where nothing is to be done."""
        if by == 1 and logits.dtype == self._flat.dtype:
            given: Words = logits.numpy()
            return given
        if logits is not self._flat:
            self._flat.copy_(logits)
        return self.words if by == 1 else np.multiply(self.words, by, out=self.words)

    def _exp(self, exponents: Words) -> None:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            np.exp(exponents, out=self.words)
            self.sum()

    def _only(self, logits: Tensor) -> "Row":
        """All weight on the lowest argmax; none if the row has no law."""
        word = argmax(logits)
        self._flat.zero_()
        self.words[word] = bool(torch.isfinite(logits[word]))
        return self.sum()


BELOW_ONE = float(np.nextafter(1, 0))


def argmax(logits: Tensor) -> int:
    """The lowest of the likeliest words: a maximum over blocks, then one in a block.

    A NaN wins, as it should: whoever looks at what was found sees it.
    """
    whole = len(logits) // BLOCK * BLOCK
    if not whole:
        return int(logits.max(0).indices)
    most = logits[:whole].view(-1, BLOCK).amax(1)
    block = int(most.max(0).indices)
    start = BLOCK * block
    best = start + int(logits[start : start + BLOCK].max(0).indices)
    if whole < len(logits):
        beyond = whole + int(logits[whole:].max(0).indices)
        if not logits[best] >= logits[beyond] and not logits[best].isnan():
            return beyond
    return best
