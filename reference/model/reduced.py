"""A vocabulary of a draft's own: some of the target's words, and no others.

Li, Wei, Zhang and Zhang 2025, EAGLE-3: Scaling up Inference Acceleration of Large
Language Models via Training-Time Test, https://arxiv.org/abs/2503.01840, whose
published drafts hold the tensor d2t: draft word i is word i + d2t[i] of the target.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .layers import Array

NAME = "d2t"


class Vocabulary:
    """N words of the `size` that the target has; rows over them, and over all.

    ids: (N,) the target's words, in the order of their numbers, so that ties between
    equal words fall as they do there. ValueError: not so, or a word of no target.
    """

    def __init__(self, ids: Sequence[int] | Array, size: int):
        self.ids, self.size = np.asarray(ids), size
        if self.ids.ndim != 1 or not self.ids.size or self.ids.dtype.kind not in "iu":
            found = f"{self.ids.dtype} {self.ids.shape}"
            raise ValueError(f"is {found}, not a row of whole numbers")
        outside = (self.ids < 0) | (self.ids >= size)
        if outside.any():
            i = int(outside.argmax())
            raise ValueError(f"has word {i} at {self.ids[i]}, not in [0, {size})")
        if (later := np.diff(self.ids) <= 0).any():
            i = int(later.argmax()) + 1
            raise ValueError(f"has word {i} at {self.ids[i]}, not above the one before")

    @classmethod
    def published(cls, offsets: Array, size: int) -> "Vocabulary":
        """From d2t, (N,) integers. ValueError as above."""
        return cls(offsets + np.arange(offsets.size).reshape(offsets.shape), size)

    @property
    def offsets(self) -> Array:
        """As it is published: d2t."""
        made: Array = self.ids.astype(np.int64) - np.arange(len(self.ids))
        return made

    def spread(self, rows: Array, elsewhere: Any = 0) -> Array:
        """Rows (..., N) over all words (..., V); `elsewhere` is what the others have"""
        shape = *rows.shape[:-1], self.size
        wide: Array = np.full(shape, elsewhere, dtype=rows.dtype)
        wide[..., self.ids] = rows
        return wide
