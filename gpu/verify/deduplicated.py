"""Recursive rejection sampling, copies merged: the twin of reference/verify's."""

from ..batch import Batch, batched
from ..copies import deduplicated
from ..verified import Verified
from . import recursive


@batched(reads_q=True)
def verify(batch: Batch) -> Verified:
    """Merge equal siblings, then walk down each tree while some child is kept."""
    return recursive.walk(deduplicated(batch))
