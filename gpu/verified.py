"""What a batched rule returns: one block of tokens a request, packed to the left."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad


class Verified(NamedTuple("Block", [("tokens", Tensor), ("count", Tensor)])):
    """The blocks that B requests emit; unpacks as `tokens, count`.

    tokens:   (B, N + 1) int64: count[b] tokens of request b, then -1
    count:    (B,) int64, from 1 to N + 1
    fallback: (B,) bool, where there was something that no exact run holds: a drafted
              token with q = 0 or outside the vocabulary, which then counts as not
              drafted, or a row with no mass to draw from, for which p stood in
    """

    fallback: Tensor


def emit(tokens: Tensor, kept: Tensor, last: Tensor, fallback: Tensor) -> Verified:
    """The tokens (B, N) of the nodes `kept` (B, N) in order, then `last` (B,)."""
    beyond = kept.shape[1]
    slot = torch.where(kept, kept.cumsum(1) - 1, beyond)
    count = kept.sum(1)
    block = torch.full_like(pad(tokens, (0, 1)), -1)
    block.scatter_(1, slot, torch.where(kept, tokens, -1))
    block.scatter_(1, count[:, None], last[:, None])
    verified = Verified(block, count + 1)
    verified.fallback = fallback
    return verified
