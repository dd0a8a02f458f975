"""From proposals of different sizes to padded tensors, and back to lists of tokens."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor


class Proposed(Protocol):
    """What is read of a proposal: N tokens, their parents, and q (N, V) or None."""

    @property
    def tokens(self) -> Sequence[int]: ...
    @property
    def parents(self) -> Sequence[int]: ...
    @property
    def q(self) -> Any: ...


class Packed(NamedTuple):
    """The first five arguments of every `verify`: `verify(*packed, accept, sample)`."""

    p: Tensor
    q: Tensor | None
    tokens: Tensor
    parents: Tensor
    lengths: Tensor


def pack(
    ps: Sequence[Any],
    proposals: Sequence[Proposed],
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Packed:
    """B requests side by side, padded to the longest: rows with 0, tokens with -1.

    ps: the target's rows (N + 1, V) of each request, as arrays of numbers.
    q is None unless every proposal has one. ValueError where rows and tokens do not
    match, or the requests have different vocabularies.
    """
    nodes = max(len(proposal.tokens) for proposal in proposals)
    vocab = np.shape(ps[0])[-1]
    batch = len(proposals)
    p = np.zeros((batch, nodes + 1, vocab))
    q = np.zeros((batch, nodes, vocab))
    tokens, parents = np.full((2, batch, nodes), -1)
    for b, (rows, proposal) in enumerate(zip(ps, proposals, strict=True)):
        n = len(proposal.tokens)
        if np.shape(rows) != (n + 1, vocab):
            raise ValueError(
                f"p of request {b} has shape {np.shape(rows)}: expected {n + 1, vocab}"
            )
        p[b, : n + 1] = rows
        tokens[b, :n], parents[b, :n] = proposal.tokens, proposal.parents
        if n and proposal.q is not None:
            q[b, :n] = proposal.q
    drawn = all(proposal.q is not None for proposal in proposals)
    return Packed(
        p=torch.tensor(p, dtype=dtype, device=device),
        q=torch.tensor(q, dtype=dtype, device=device) if drawn else None,
        tokens=torch.tensor(tokens, device=device),
        parents=torch.tensor(parents, device=device),
        lengths=torch.tensor([len(x.tokens) for x in proposals], device=device),
    )


def unpack(tokens: Tensor, count: Tensor) -> list[list[int]]:
    """The tokens each request emitted, without the padding; waits for the device."""
    pairs = zip(tokens.tolist(), count.tolist(), strict=True)
    return [row[:n] for row, n in pairs]
