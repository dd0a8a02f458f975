"""flashspec's `rejection_step`, `rejection_sample` and one-hot step.

Each behind the contract; the bonus that `rejection_sample` leaves to its caller is
drawn from the last row.
"""

from typing import Any

import numpy as np
import torch
from flashspec.sampling import rejection as theirs

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import block, logits

Array = np.ndarray[Any, Any]


def step(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `rejection_step`."""
    drafted = torch.from_numpy(tokens)[None]
    with given(rng):
        (found,) = theirs.rejection_step(drafted, logits(q)[None], logits(p)[None])
    return block(tokens, *found)


def sample(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `rejection_sample`."""
    drafted, k = torch.from_numpy(tokens)[None], len(tokens)
    given_rows = drafted, logits(q)[None], logits(p[:k])[None], drafted, k
    with given(rng):
        emitted, first, _ = theirs.rejection_sample(*given_rows)
    kept = int(first)
    last = rng.choice(p.shape[1], p=p[k]) if kept == k else emitted[0, kept]
    return block(tokens, kept, last)


class OneHot:
    """`rejection_step_onehot`, which is only told the drafted tokens.

    Judged where the draft is certain: its answer to a draft that was drawn from q is
    that of a drafter that had no choice.
    """

    accepts = frozenset({"q_none"})

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        drafted = torch.from_numpy(tokens)[None]
        with given(rng):
            (found,) = theirs.rejection_step_onehot(drafted, logits(p)[None])
        return block(tokens, *found)
