"""Gumbel-max list sampling on trees: the twin of reference/verify/list_coupling."""

from ..batch import Batch, batched
from ..verified import Verified
from ..walk import depths, follow, race_everywhere


@batched(reads_q=False, reads_races=True)
def verify(batch: Batch, *, lists: int = 2) -> Verified:
    """Emit the target's own winners while they are drafted below what was emitted."""
    times = batch.race.take_along_dim(depths(batch)[..., None], 1)
    drawn, lost = race_everywhere(batch, times, lists)
    return follow(batch, drawn, batch.faulty | lost)
