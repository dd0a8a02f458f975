"""tightwad's `verify_stochastic`, behind the contract.

It is told, for each row, a token of the target's and the odds of the drafted one. As
in its proxy, the target's token is the one that its server drew there.
"""

import math
from typing import Any

import numpy as np

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.luck import given

Array = np.ndarray[Any, Any]
theirs = alone("tightwad", "speculation.py")


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    drafts = [theirs.DraftToken(int(x), _log(q[i, x])) for i, x in enumerate(tokens)]
    target = [theirs.TargetLogprob(x := _drawn(row, rng), _log(row[x])) for row in p]
    for i, token in enumerate(tokens):
        target[i].draft_token_logprob = _log(p[i, token])
    with given(rng):
        found = theirs.verify_stochastic(drafts, target)
    last = found.bonus_token or found.resample_token
    return [*(token.token_id for token in found.accepted_tokens), last.token_id]


def _drawn(row: Array, rng: Any) -> int:
    return int(rng.choice(len(row), p=row / row.sum()))


def _log(odds: float) -> float:
    return math.log(odds) if odds > 0 else -math.inf
