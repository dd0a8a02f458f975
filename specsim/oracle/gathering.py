"""Drawing until a fault of a stated size would have shown: the plan and its tier."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

from specsim.oracle import power
from specsim.oracle.report import PROOF, Tier
from specsim.oracle.sampling import thinned


@dataclass(frozen=True)
class Goal:
    """To find, in any one world, a first token whose row of `cells` is off by tv.

    rows:    on which bets are made in one stream, those of all worlds.
    streams: among which the first unit of money is divided.
    """

    tv: float
    cells: int
    worlds: int
    rows: int
    false_alarm: float
    streams: int = 1

    @property
    def nats(self) -> float:
        return power.hurdle(self.false_alarm, self.rows, self.streams)

    @property
    def blocks(self) -> int:
        """Of all worlds together."""
        return self.worlds * power.tokens(self.tv, self.cells, self.nats)

    def found(self, blocks: int) -> float:
        """The tv that so many blocks find."""
        return power.found(blocks // self.worlds, self.cells, self.nats)


def gathered(
    name: str, steps: Iterable[tuple[int, float]], goal: Goal, seconds: float
) -> Tier:
    """A tier from (blocks drawn, log10 E then), which ends when the plan is fulfilled,
    E rejects, or the time is over: then it is inconclusive.
    """
    start = time.monotonic()
    hurdle, planned = -math.log10(goal.false_alarm), goal.blocks
    path: list[tuple[int, float]] = []
    for drawn, log10_e in steps:
        path.append((drawn, log10_e))
        done = drawn >= planned or time.monotonic() - start > seconds
        if done or log10_e >= hurdle:
            break
    drawn = path[-1][0]
    highest = min(max(log10_e for _, log10_e in path), PROOF)
    verdict = "not_rejected" if drawn >= planned else "inconclusive"
    verdict = "rejected" if highest >= hurdle else verdict
    detail = f"{drawn:,} blocks, log10 E {highest:.1f} (rejects at {hurdle:.0f})"
    detail += f"; planned {planned:,} for TV {goal.tv:g}, power {power.POWER}"
    if verdict == "inconclusive":
        detail += f"; so many find TV {goal.found(drawn):.2g}"
    return Tier(
        name,
        verdict,
        detail,
        round(time.monotonic() - start, 3),
        goal.worlds,
        log10_e=highest,
        path=thinned(path, PROOF),
    )
