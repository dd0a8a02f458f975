"""An engine that can only be sampled: small faults that nobody has planted.

Few worlds, of one drafted token, in each of which every block tells of the same row.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from specsim.oracle import sampling
from specsim.oracle.engines.host import Host
from specsim.oracle.evidence import Evidence
from specsim.oracle.gathering import Goal, gathered
from specsim.oracle.report import Report
from specsim.oracle.worlds import World
from specsim.seam import table

TV = {"full": 0.02, "nightly": 0.005}
"""The total variation of a row that is looked for, by budget."""
SECONDS = {"full": 120.0, "nightly": 1800.0}
WORLDS, VOCAB = 4, 16
HEAVIEST = 8
"""Of the weights in a row; the lightest is 1."""
BLOCKS = 2000
"""Drawn from one world before the next has its turn."""


@dataclass
class Unknown:
    """One mode of `verify`. What it finds goes into `report`."""

    host: Host
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report

    def run(self) -> None:
        """If the budget has room for it."""
        if self.budget not in TV:
            return
        tv = TV[self.budget]
        goal = Goal(tv, VOCAB, WORLDS, WORLDS, self.false_alarm)
        name = f"verify/{self.mode}/unknown-fault"
        tier = gathered(name, self._steps(), goal, SECONDS[self.budget])
        self.report.tiers.append(tier)
        self.report.log10_e = max(self.report.log10_e or 0.0, tier.log10_e or 0.0)

    def _steps(self) -> Iterator[tuple[int, float]]:
        worlds = arena()
        evidence = Evidence([world.truth for world in worlds], {})
        asked = self.host, worlds, "verify", self.mode, self.seed
        for turn, blocks in sampling.rounds(*asked, BLOCKS):
            evidence.observe(turn % WORLDS, blocks)
            yield evidence.blocks, evidence.valued()


def arena() -> list[World]:
    """Random rows, the same after every prefix, in which nothing is impossible."""
    rng = np.random.default_rng(0)
    weights = rng.integers(1, HEAVIEST, (WORLDS, 2, VOCAB), endpoint=True).tolist()
    return [
        World(f"full-{i}", VOCAB, table.constant(p), table.constant(q), (1,))
        for i, (p, q) in enumerate(weights)
    ]
