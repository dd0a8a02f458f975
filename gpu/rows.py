"""What one does with rows of weights (..., V), batched: the twin of reference/probs.

Weights need not be normalised. Nothing here waits for the device.
"""

import torch
from torch import Tensor


def argmax(rows: Tensor) -> Tensor:
    """The likeliest token (...) of each row; torch.max promises the lowest id."""
    return rows.max(-1).indices


def categorical(rows: Tensor, coins: Tensor) -> Tensor:
    """One token (...) of each row by inverse CDF: the first with cdf > coin * total.

    coins: (...) uniforms in [0, 1). However the scan rounds, the token has weight > 0;
    it is 0 where the row has no mass, which `empty` tells.
    """
    cdf = torch.where(rows > 0, rows.cumsum(-1), 0)
    total = cdf.amax(-1, keepdim=True)
    below = torch.nextafter(total, torch.zeros_like(total))
    return (cdf > torch.minimum(coins[..., None] * total, below)).max(-1).indices


def empty(rows: Tensor) -> Tensor:
    """Where (...) a row has no mass; a NaN in it counts as none."""
    return ~(rows.sum(-1) > 0)


def entropy(rows: Tensor) -> Tensor:
    """In nats (...)."""
    nats: Tensor = torch.special.entr(rows).sum(-1)
    return nats


def residual(p: Tensor, q: Tensor) -> Tensor:
    """What is left of p once q has been served: max(p - q, 0), not normalised."""
    return (p - q).clamp_(min=0)


def select(rows: Tensor, index: Tensor) -> Tensor:
    """Entry index (B,) along axis 1 of (B, R, ...), one a request."""
    return rows[torch.arange(len(rows), device=rows.device), index]


def winner(rows: Tensor, times: Tensor) -> Tensor:
    """The word (...) with the least times / rows; the lowest id where several have.

    Words of no weight do not run; it is 0 where none does, which `empty` tells.
    """
    return torch.where(rows > 0, times / rows, torch.inf).min(-1).indices


def weight(rows: Tensor, tokens: Tensor) -> Tensor:
    """The weight (...) each row (..., V) gives to its token (...)."""
    return rows.gather(-1, tokens[..., None]).squeeze(-1)
