"""lucidrains' speculative-decoding, behind the contract: one turn of its loop.

It drafts and verifies in one: its draws of the draft give the tokens that are asked,
and its filter of logits is set to keep them all.
"""

from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)
theirs = alone("speculative_decoding", "speculative_decoding.py")


class Turned(Exception):
    """The next turn begins: what was emitted is its prompt."""


class Net(Model):
    """A model as theirs answers: logits, and a cache of which nothing is read.

    calls: how many there may be before the next turn.
    """

    def __init__(self, rows: Array, calls: int):
        super().__init__(rows)
        self.calls = calls

    def __call__(self, ids: torch.Tensor, *_: Any, **__: Any) -> Any:
        if not self.calls:
            raise Turned(ids[0, 1:].tolist())
        self.calls -= 1
        return super().__call__(ids).logits, (torch.zeros(1, ids.shape[-1], 1), None)


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    k, ahead = len(tokens), [torch.tensor([token]) for token in tokens]

    def drafted(*_: Any, **__: Any) -> torch.Tensor:
        return ahead.pop(0)

    asked = Net(p, 1), Net(q, k), PROMPT, k + 2
    with given(rng), patch.object(theirs, "gumbel_sample", drafted):
        try:
            (emitted,), _ = theirs.speculative_decoding(*asked, gamma=k, filter_thres=0)
        except Turned as turned:
            return [*turned.args[0]]
    return [*map(int, emitted)]
