"""Which words a draft is taught: all of the target's, or the commonest of a text."""

from typing import Any

import torch
from torch import Tensor

from specsim import seam
from specsim.weights import Array

UNKNOWN = -100
"""The label of what is not drafted: torch's cross-entropy leaves it out."""


class Words:
    """The words that a draft knows, by numbers of its own.

    text: tokens (n,). size: how many words the target has. most: how many the draft may
    have, of those in the text; 0: all of the target's, by the same numbers.
    """

    def __init__(self, text: Tensor, size: int, most: int, device: str):
        self._all = not most
        counts = text.bincount(minlength=size)
        common = counts.argsort(descending=True, stable=True)[:most]
        self._ids = common[counts[common] > 0].sort().values.to(device)
        self._numbers = torch.full((size,), UNKNOWN, device=device)
        self._numbers[self._ids] = torch.arange(len(self._ids), device=device)
        self._size = size

    def __len__(self) -> int:
        return self._size if self._all else len(self._ids)

    def rows(self, head: Tensor) -> Tensor:
        """Those of a head (V, D) that belong to the words."""
        return head if self._all else head[self._ids]

    def labels(self, tokens: Tensor) -> Tensor:
        """The draft's numbers of tokens, UNKNOWN where it has none."""
        return tokens if self._all else self._numbers[tokens]

    @property
    def settled(self) -> dict[str, Array]:
        """What a file says of them: nothing, if they are all."""
        if self._all:
            return {}
        module: Any = seam.reference("model.reduced")
        made = module.Vocabulary(self._ids.cpu().numpy(), self._size)
        return {module.NAME: made.offsets}
