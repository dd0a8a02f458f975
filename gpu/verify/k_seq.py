"""Sequential selection among siblings: the twin of reference/verify/k_seq."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import categorical, empty, residual
from ..siblings import answer, best, count, rows_above
from ..trees import of
from ..verified import Verified
from ..walk import follow

HALVINGS = 20


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Keep the first child that p / gamma has use for, else draw from what is left.

    The token is made at every row of p at once, and then the tree is followed. Sums
    over all words are taken in float64, whatever the rows are in.
    """
    n, p, q = count(batch), batch.p, of(best(batch, batch.drafted), batch.q)
    gamma = _least_gamma(p, q, n)
    scale = gamma.gather(1, rows_above(batch))
    kept = batch.accept * scale * answer(batch, q) < answer(batch, p)
    child = best(batch, batch.drafted & kept)
    used, mass = _kept(p, q, gamma)
    left = residual(p, used * _looks(mass, n).to(p.dtype)[..., None])
    lost = pad(batch.drafted, (1, 0), value=True) & (child < 0) & empty(left)
    left = torch.where(lost[..., None], p, left)
    drawn = categorical(left, batch.sample)
    token = torch.where(child < 0, drawn, of(child, batch.tokens))
    return follow(batch, token, batch.faulty | lost.any(1))


def _least_gamma(p: Tensor, q: Tensor, n: Tensor) -> Tensor:
    """The least gamma (B, N + 1) on the grid of the reference that is enough."""
    low, high = torch.ones_like(n).double(), n.clamp(min=1).double()
    one = _enough(low, p, q, n)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _enough(middle, p, q, n)
        low, high = torch.where(enough, low, middle), torch.where(enough, middle, high)
    return torch.where(one, 1, high)


def _enough(gamma: Tensor, p: Tensor, q: Tensor, n: Tensor) -> Tensor:
    _, mass = _kept(p, q, gamma)
    return _looks(mass, n) <= gamma


def _kept(p: Tensor, q: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
    """What is kept of each word (B, N + 1, V) in one look, and of all of them."""
    kept = torch.minimum(q, p / gamma.to(p.dtype)[..., None])
    return kept, kept.sum(-1, dtype=torch.float64)


def _looks(kept: Tensor, n: Tensor) -> Tensor:
    """How many of n siblings are looked at on average, each kept with odds `kept`."""
    return torch.where(kept > 0, (1 - (1 - kept) ** n) / kept, n)
