"""An engine that can only be sampled: are its calls independent, and its seeds kept?"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from specsim.oracle import cases
from specsim.oracle.engines.host import Host
from specsim.oracle.independence.lags import Array, dependence
from specsim.oracle.independence.pits import telling, uniforms
from specsim.oracle.report import Report, Tier
from specsim.oracle.sampling import derived

CALLS = {"smoke": 150, "quick": 300, "full": 1000, "nightly": 5000}
BETS = 3
"""Bets among which the odds of a false alarm are divided."""
SECONDS = {"smoke": 1.0, "quick": 2.0, "full": 20.0, "nightly": 120.0}
"""Most calls, and most seconds for calls with seeds of their own, by budget."""
Block = tuple[int, ...]


@dataclass
class Independence:
    """One seeded mode of `verify`. What it finds goes into `report`."""

    host: Host
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report

    def run(self) -> None:
        """The same seed again; then calls, and seeds, against one another."""
        self.world = telling()
        self.calls, odds = cases.calls(self.world, "verify")
        self.odds = np.array(odds, dtype=float)
        self.rng = np.random.default_rng(derived(self.seed, "independence"))
        start, which = time.monotonic(), self._drafts()
        first, again = (self._blocks(which, 1) for _ in range(2))
        other = self._blocks(self._drafts(), 2)
        if self.mode == "rng":  # programs are asked in batches of any size
            self._replayed(first, again, start)
        self._bet("calls", self._pits(first), start)
        self._bet("seeds", np.hstack([*map(self._pits, (first, other))]), start)
        start = time.monotonic()
        self._bet("seed-by-call", self._pits([*self._apart(start)]), start)

    def _drafts(self) -> list[int]:
        """The numbers of as many drafts as there are calls, drawn as drafts are."""
        count = CALLS[self.budget]
        return [int(i) for i in self.rng.choice(len(self.calls), count, p=self.odds)]

    def _apart(self, start: float) -> Iterator[Block]:
        """Every call with a seed of its own, one more than the last one's."""
        for turn, i in enumerate(self._drafts()):
            yield self.host.blocks([self.calls[i]], [0], self.seed + turn, self.mode)[0]
            if time.monotonic() - start > SECONDS[self.budget]:
                return

    def _blocks(self, which: list[int], salt: int) -> list[Block]:
        seed = derived(self.seed, "independence", salt) >> 1
        return self.host.blocks(self.calls, which, seed, self.mode)

    def _pits(self, blocks: list[Block]) -> Array:
        made = [uniforms(self.world, block, self.rng) for block in blocks]
        rest = [np.full_like(made[0], np.nan)] * (CALLS[self.budget] - len(made))
        return np.array(made + rest)

    def _tier(self, what: str, verdict: str, detail: str, start: float) -> None:
        seconds = round(time.monotonic() - start, 3)
        name = f"verify/{self.mode}/{what}"
        self.report.tiers.append(Tier(name, verdict, detail, seconds))

    def _replayed(self, first: list[Block], again: list[Block], start: float) -> None:
        pairs = [*zip(first, again, strict=False)]
        wrong = sum(a != b for a, b in pairs)
        detail = f"the same seed gave another block in {wrong} of {len(pairs)} calls"
        if wrong and not self.host.hello().get("seeded"):
            self.report.notes.append(f"{detail}: seeds are not honoured")
            return
        self._tier("replay", "rejected" if wrong else "exact", detail, start)

    def _bet(self, what: str, u: Array, start: float) -> None:
        found = dependence(u)
        hurdle = -math.log10(self.false_alarm / BETS)
        wrong = found.log10_e >= hurdle
        detail = f"{len(u)} calls, log10 E {found.log10_e:.1f}"
        detail += f" (rejects at {hurdle:.1f})"
        detail += f": tied to {found}" if wrong else ""
        verdict = "rejected" if wrong else "not_rejected"
        self._tier(f"independence/{what}", verdict, detail, start)
