"""Deferred rejection on chains: the twin of reference/verify/deferral."""

from torch.nn.functional import pad

from ..batch import Batch, batched
from ..rows import entropy, residual, select
from ..verified import Verified
from ..walk import draw


@batched(reads_q=True)
def verify(batch: Batch, *, gate: float = 0.3, window: int = 1) -> Verified:
    """Keep a prefix as speculative sampling does, but for waived refusals."""
    fine = batch.drafted & (batch.accept * batch.offered < batch.wanted)
    waived = batch.drafted & (entropy(batch.p[:, :-1]) >= gate)
    for n in range(1, window + 1):
        waived = waived & pad(fine, (0, window))[:, n : n + fine.shape[1]]
    kept = (fine | waived).cumprod(1).bool()
    end = kept.sum(1)
    left = residual(select(batch.p, end), batch.q_after(end))
    return draw(batch, kept, end, left)
