"""Evidence where the vocabulary is too large to count: streams of bins, mixed.

Each partition of the vocabulary is a stream of its own, on which unknown faults are bet
as anywhere (specsim.oracle.evidence): a token, given that it was emitted, is a fair
draw from p whatever bin one looks at. One more stream bets on too many tokens being the
drafted ones. All see the same blocks, so what they made is averaged: the mean of
martingales is one, whatever their dependence, and costs ln 5 nats.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from specsim.oracle.evidence import LN10, Evidence, log_mean
from specsim.oracle.large import bins
from specsim.oracle.large.rows import Array, Large
from specsim.seam import proposal

GREEDS = np.geomspace(1e-3, 0.9, 12)
"""Shares of what a right engine refuses that a wrong one is thought to keep."""
STREAMS = len(bins.PARTITIONS) + 1
DRAFTED = "the drafted token, at most"


class Kept:
    """A bet that the first token is the drafted one too often.

    The drafted token has law q and the first emitted one law p, so they agree with
    probability sum(min(p, q)) at most, however an engine couples them (the coupling
    inequality). A bet f > that pays f / most or (1 - f) / (1 - most): its mean grows
    with the true odds and is 1 at the most they can be.
    """

    def __init__(self, most: float):
        self.most = most
        self.kept = self.seen = 0

    def made(self) -> Array:
        """Log of what each of GREEDS has made."""
        more = self.most + (1 - self.most) * GREEDS
        refused = self.seen - self.kept
        return np.asarray(
            self.kept * np.log(more / self.most) + refused * np.log1p(-GREEDS)
        )


class Odd(NamedTuple):
    """Where the evidence is strongest: what was counted, wanted and found."""

    world: Large
    position: int
    what: str
    want: float
    got: float

    def __str__(self) -> str:
        at = f"{self.world}, position {self.position}"
        return f"{at}: {self.what}: wanted {self.want:.4g}, got {self.got:.4g}"


class Streams:
    """The money E made by betting on bins of large worlds.

    log10_e: the largest E at the end of any `observe`; infinite once the engine said
    what the target never says.
    """

    def __init__(self, worlds: Sequence[Large]):
        self.worlds = worlds
        self.blocks = 0
        self.log10_e = 0.0
        self._parts = {
            name: [_partitioned(name, world) for world in worlds]
            for name in bins.PARTITIONS
        }
        self._first = np.cumsum([0, *(world.drafts + 1 for world in worlds)])
        self._streams = {
            name: Evidence([_row(part) for parts in every for part in parts], {})
            for name, every in self._parts.items()
        }
        self._kept = [Kept(overlap(world)) for world in worlds]

    def observe(
        self, at: int, drafts: Sequence[list[int]], blocks: Sequence[tuple[int, ...]]
    ) -> float:
        """Count the blocks of world number `at`, and log10 E now."""
        for name, stream in self._streams.items():
            stream.observe_all(
                (int(self._first[at]) + i, self._binned(name, at, i, blocks))
                for i in range(self.worlds[at].drafts + 1)
            )
        firsts = [d[0] == b[0] for d, b in zip(drafts, blocks, strict=True)]
        self._kept[at].kept += sum(firsts)
        self._kept[at].seen += len(firsts)
        self.blocks += len(blocks)
        value = float(log_mean(np.array([*self._made().values()]))) / LN10
        self.log10_e = max(self.log10_e, value)
        return value

    def _binned(
        self, name: str, at: int, i: int, blocks: Sequence[tuple[int, ...]]
    ) -> list[tuple[int]]:
        labels = self._parts[name][at][i].labels
        return [(int(labels[block[i]]),) for block in blocks if len(block) > i]

    def _made(self) -> dict[str, float]:
        """Log of what each stream has made; infinite once it saw the impossible."""
        made = {name: s.valued() * LN10 for name, s in self._streams.items()}
        kept = sum((bet.made() for bet in self._kept), np.zeros_like(GREEDS))
        return made | {DRAFTED: float(log_mean(kept))}

    def oddest(self) -> Odd | None:
        """In the stream that made most; None before any block."""
        made = self._made()
        name = max(made, key=lambda stream: made[stream])
        if name == DRAFTED:
            best = max(self._kept, key=lambda bet: float(log_mean(bet.made())))
            got = best.kept / max(best.seen, 1)
            world = self.worlds[self._kept.index(best)]
            return Odd(world, 1, DRAFTED, best.most, got)
        cell = self._streams[name].worst()
        if cell is None:
            return None
        at = int(np.searchsorted(self._first, cell.case, "right")) - 1
        i = cell.case - int(self._first[at]) + 1
        what = bins.named(name, cell.token)
        return Odd(self.worlds[at], i, what, float(cell.want), cell.got)


def overlap(world: Large) -> float:
    """The most often that a right engine's first token is the drafted one."""
    p, q = world.rows
    return math.fsum(np.minimum(p[0], q[0]))


def _partitioned(name: str, world: Large) -> list[bins.Partition]:
    """Each row; that of the last token with the row of q before it."""
    p, q = world.rows
    return [bins.partition(name, p[i], q[min(i, len(q) - 1)]) for i in range(len(p))]


def _row(part: bins.Partition) -> proposal.Rows:
    return lambda prefix: part.mass
