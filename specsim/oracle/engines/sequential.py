"""sequential-speculative-decoding's steps, behind the contract.

They draft and verify in one: their draws of the draft give the tokens that are asked.
Its naive hierarchical step asks the models again within one call, for prefixes of
which the contract has no rows, and is not judged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from seqspecdecod import capped_hsd, standard_sd

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)


def standard(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `standard_speculative_step`."""
    return _step(standard_sd.standard_speculative_step, p, q, tokens, rng)


def capped(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `capped_hsd_step`."""
    return _step(capped_hsd.capped_hsd_step, p, q, tokens, rng)


def _step(
    step: Callable[..., Any], p: Array, q: Array, tokens: Array, rng: Any
) -> list[int]:
    models = Model(q), Model(p)
    with given(rng, tokens.tolist()):
        ids, *_ = step(*models, PROMPT, len(tokens), 1.0, 1.0)
    return [*map(int, ids[0, 1:])]
