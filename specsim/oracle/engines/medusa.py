"""medusa-llm's `evaluate_posterior`, behind the contract: lossy by design.

The token after those it accepts is the likeliest, as its next round starts with.
"""

from typing import Any

import numpy as np
import torch

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.tensors import block, logits

Array = np.ndarray[Any, Any]
theirs = alone("medusa", "model/utils.py")


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by typical acceptance at its default threshold and alpha."""
    candidates = torch.tensor([[0, *tokens]])
    _, kept = theirs.evaluate_posterior(logits(p)[None], candidates, 1.0, 0.09, 0.3)
    return block(tokens, kept, p[int(kept)].argmax())
