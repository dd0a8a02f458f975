"""Target-only sampling on trees: the twin of reference/verify/target_only."""

from ..batch import Batch, batched
from ..verified import Verified
from ..walk import draw_everywhere, follow


@batched(reads_q=False)
def verify(batch: Batch) -> Verified:
    """Draw from the target; while the token is a child in the tree, go there."""
    drawn, lost = draw_everywhere(batch)
    return follow(batch, drawn, batch.faulty | lost)
