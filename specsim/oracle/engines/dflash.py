"""dflash's `_rejection_sample`, behind the contract."""

from typing import Any

import numpy as np
import torch
from dflash.model import _rejection_sample

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import block, probs

Array = np.ndarray[Any, Any]


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    with given(rng):
        drafted = torch.from_numpy(tokens)[None]
        kept, last = _rejection_sample(drafted, probs(p)[None], probs(q)[None])
    return block(tokens, kept, last)
