"""Gumbel coupling on chains: the twin of reference/verify/gumbel."""

from ..batch import Batch, batched
from ..verified import Verified
from ..walk import follow, race_everywhere


@batched(reads_q=False, reads_races=True)
def verify(batch: Batch) -> Verified:
    """Emit the target's own winners up to the first that differs from the draft."""
    drawn, lost = race_everywhere(batch, batch.race)
    return follow(batch, drawn, batch.faulty | lost)
