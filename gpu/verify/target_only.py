"""Target-only sampling on trees: the twin of reference/verify/target_only."""

from ..batch import Batch, batched
from ..fused.request import Ending, Request
from ..verified import Verified
from ..walk import draw_everywhere, follow


def one(request: Request) -> Ending:
    """From logits: p is read at the rows on the way."""
    return request.follow(request.drawn)


@batched(reads_q=False, fused=one)
def verify(batch: Batch) -> Verified:
    """Draw from the target; while the token is a child in the tree, go there."""
    drawn, lost = draw_everywhere(batch)
    return follow(batch, drawn, batch.faulty | lost)
