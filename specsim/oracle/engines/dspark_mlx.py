"""dspark-mlx's `speculative_sample_accept`, behind the contract: it is NumPy alone."""

from typing import Any

import numpy as np

from specsim.oracle.engines.alone import alone

Array = np.ndarray[Any, Any]
theirs = alone("dspark_mlx", "verify.py")


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    return [*map(int, theirs.speculative_sample_accept(tokens, q, p, rng).tokens)]
