"""srep-moe's `EAGLE3SDDriver.speculative_sampling`, behind the contract.

It is not told q: its drafts come from one greedy model, so they are certain. It is
therefore also judged with q = None.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import logits

Array = np.ndarray[Any, Any]
theirs = alone("srep_moe", "sd_engine.py")


class Certain:
    """One block."""

    accepts = frozenset({"q_none"})

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        engine = SimpleNamespace(gamma=len(tokens), device="cpu")
        asked = tokens.tolist(), logits(p)[None], 1.0
        with given(rng):
            _, emitted = theirs.EAGLE3SDDriver.speculative_sampling(engine, *asked)
        return [*emitted]
