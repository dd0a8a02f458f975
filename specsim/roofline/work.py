"""What one forward pass takes in: groups of sequences, new tokens, cached context."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Amount = Any
"""A float, or an array of them; the amounts of a pass broadcast."""


@dataclass(frozen=True)
class Work:
    """`batch` sequences of one kind in a pass, which may hold several such groups.

    tokens:  new tokens of each sequence, 1 in plain decoding, k + 1 in verification.
    context: tokens of each that are cached before the pass.
    logits:  positions of each whose words are scored; None: all its new tokens.

    >>> Work(batch=8, tokens=5, context=2048).rows
    40
    """

    batch: Amount = 1
    tokens: Amount = 1
    context: Amount = 0
    logits: Amount | None = None

    @property
    def rows(self) -> Amount:
        """Tokens that pass through the layers."""
        return self.batch * self.tokens

    @property
    def scored(self) -> Amount:
        """Tokens that pass through the head."""
        return self.rows if self.logits is None else self.batch * self.logits

    def part(self, share: float) -> "Work":
        """The same for `share` of the sequences, at least one of them."""
        if share == 1:
            return self
        batch = np.maximum(self.batch * share, np.minimum(self.batch, 1))
        return Work(batch, self.tokens, self.context, self.logits)
