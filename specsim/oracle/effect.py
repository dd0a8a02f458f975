"""How wrong a refuted engine is at least: an event chosen before, counted afresh.

The draws that refuted it ended when they did so, and chose the event: they would
flatter it. So as many blocks are drawn again, their number fixed beforehand.
Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in
the case of the binomial".
"""

import math

import numpy as np

from specsim.oracle import cases
from specsim.oracle.engines.host import Host
from specsim.oracle.report import Effect
from specsim.oracle.sampling import ROUND, Sampled, derived

CONFIDENCE = 0.99
FEWEST, MOST = 4, 32
"""Rounds of fresh draws."""


def measured(
    engine: Host, found: Sampled, operation: str, mode: str, seed: int
) -> Effect | None:
    """The least total variation in the context that tells most against the engine.

    None where fresh draws never came to that context, or show nothing.
    """
    if not (cell := found.evidence.worst()):
        return None
    world = found.worlds[cell.case]
    p = np.asarray(world.truth(cell.prefix), dtype=float)
    counts = np.array(found.evidence.row(cell.case, cell.prefix))
    event = tuple(np.flatnonzero(counts > counts.sum() * p).tolist())
    want, depth = float(p[[*event]].sum()), len(cell.prefix)
    calls, odds = cases.calls(world, operation)
    rounds = min(MOST, max(FEWEST, math.ceil(found.blocks / ROUND)))
    after = []
    for turn in range(rounds):
        rng = np.random.default_rng(derived(seed, engine.spec, "effect", turn))
        which = rng.choice(len(calls), ROUND, p=np.array(odds, dtype=float))
        blocks = engine.blocks(calls, which.tolist(), int(rng.integers(2**63)), mode)
        after += [
            block[depth]
            for block in blocks
            if len(block) > depth and block[:depth] == cell.prefix
        ]
    count, trials = sum(token in event for token in after), len(after)
    low = interval(count, trials, 2 * CONFIDENCE - 1)[0] - want if trials else 0.0
    if low <= 0:
        return None
    return Effect(str(world), cell.prefix, event, want, count, trials, low, CONFIDENCE)


def interval(count: int, trials: int, confidence: float) -> tuple[float, float]:
    """Both Clopper-Pearson limits of a binomial's probability.

    >>> [round(x, 4) for x in interval(8, 10, 0.95)]
    [0.4439, 0.9748]
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = betaincinv(count, trials - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, trials - count, 1 - tail) if count < trials else 1.0
    return float(low), float(high)
