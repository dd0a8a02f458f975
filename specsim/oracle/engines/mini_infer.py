"""mini-infer's `speculative_step`, behind the contract.

It drafts and verifies in one: its draws of the draft give the tokens that are asked.
"""

from typing import Any

import numpy as np
import torch
from mini_infer.speculative.verifier import speculative_step

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    with given(rng, tokens.tolist()):
        emitted, _ = speculative_step(
            Pair(p), Pair(q), PROMPT, k_draft=len(tokens), temperature=1.0
        )
    return [*emitted]


class Pair(Model):
    """A model that answers as theirs does: logits and a cache."""

    def __call__(self, ids: torch.Tensor, *_: Any, **__: Any) -> Any:
        return super().__call__(ids).logits, None
