"""An engine asked with vocabularies as large as real ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import Skipped
from specsim.oracle.gathering import Goal, gathered
from specsim.oracle.large.bins import BINS
from specsim.oracle.large.evidence import STREAMS, Streams
from specsim.oracle.large.rows import WORLDS, Large, drafted
from specsim.oracle.report import Report
from specsim.oracle.sampling import derived

TV = {"full": 0.1, "nightly": 0.03}
"""The total variation, in bins of a first token, that is looked for, by budget."""
SECONDS = {"full": 120.0, "nightly": 1800.0}
BLOCKS = 250
"""Drawn from one world before the next has its turn."""


@dataclass
class LargeVocabulary:
    """One mode of `verify`. What it finds goes into `report`."""

    host: Host
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report
    worlds: Sequence[Large] = WORLDS

    def run(self) -> None:
        """If the budget has room for it; a note where the engine cannot be asked."""
        if self.budget not in TV:
            return
        rows = sum(world.drafts + 1 for world in self.worlds)
        many = len(self.worlds), rows, self.false_alarm, STREAMS
        goal = Goal(TV[self.budget], BINS, *many)
        name = f"verify/{self.mode}/large-vocabulary"
        self.streams = Streams(self.worlds)
        try:
            tier = gathered(name, self._steps(), goal, SECONDS[self.budget])
        except Skipped as reason:
            self.report.notes.append(f"not asked with large vocabularies: {reason}")
            return
        self.report.tiers.append(tier)
        self.report.log10_e = max(self.report.log10_e or 0.0, tier.log10_e or 0.0)
        if tier.verdict == "rejected":
            self.report.notes.append(f"in large vocabularies: {self.streams.oddest()}")

    def _steps(self) -> Iterator[tuple[int, float]]:
        turn = 0
        while True:
            at = turn % len(self.worlds)
            world = self.worlds[at]
            rng = np.random.default_rng(derived(self.seed, "large", turn))
            drafts, own = drafted(world, BLOCKS, rng), int(rng.integers(2**53))
            blocks = self.host.large(world, drafts, own, self.mode)
            value = self.streams.observe(at, drafts[: len(blocks)], blocks)
            yield self.streams.blocks, value
            turn += 1
