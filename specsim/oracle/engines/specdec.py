"""specdec's `SpecDecoder.verify`, behind the contract."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from specdec import SpecDecoder

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model, probs

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    decoder = SimpleNamespace(big_model=Model(p), device="cpu")
    rows = [*probs(q)[:, None]]
    with given(rng):
        return [*SpecDecoder.verify(decoder, PROMPT, tokens.tolist(), rows)]
