"""Drafts of many lengths, and many words, for engines whose law is read.

An engine that is exact in a few small worlds may still keep the shapes it was first
asked for, or have room for so many tokens or words only. Other relations between pairs
of inputs (renaming words, words of no probability, a draft cut in two) follow from
exact laws; here they add that the law is still exact where they change the shapes.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from specsim.oracle import cases, reading
from specsim.oracle.engines.problems import Failed, Skipped, Unreadable
from specsim.oracle.exact import figure
from specsim.oracle.reading import Read, Reader
from specsim.oracle.report import Report, Tier, Witness
from specsim.oracle.witnesses import witness
from specsim.oracle.worlds import World
from specsim.seam import probs, table

LENGTHS = 5, 1, 9, 2, 17, 3, 33, 8, 4, 16, 7, 65, 6, 15, 10, 32, 11, 64, 12, 31, 13, 14
"""Up and down, past the powers of two; the first once more at the end."""
WORDS = {"smoke": 67, "quick": 259, "full": 1031, "nightly": 4099}
"""Of the wide vocabulary, by budget."""
SECONDS = {"smoke": 0.5, "quick": 2.0, "full": 30.0, "nightly": 300.0}


def long(k: int) -> World:
    """A chain of k, certain but for its last token, so that there are two drafts."""
    target = cases.binary(k, 2, False)[0]
    half = table.row([1, 1])

    def drafter(prefix: tuple[int, ...]) -> probs.Probs:
        last = len(prefix) == k - 1
        return half if last else table.row(np.eye(2)[np.argmax(target(prefix))])

    return World(f"length-{k}", 2, target, drafter, (1,) * k)


def wide(words: int) -> World:
    """Three words scattered among many that have no probability."""
    rows = cases.binary(6, 3, False)
    places = words - 1, words // 2, 0

    def scattered(small: probs.Probs) -> probs.Probs:
        row = np.array([Fraction(0)] * words, dtype=object)
        row[[*places]] = small
        return row

    def model(which: int, prefix: tuple[int, ...]) -> probs.Probs:
        named = tuple(places.index(x) if x in places else 0 for x in prefix)
        return scattered(rows[which](named))

    return World(
        f"{words}-words",
        words,
        lambda prefix: model(0, prefix),
        lambda prefix: model(1, prefix),
        (1, 1),
    )


@dataclass
class Sweep:
    """One mode of `verify`, by the reading that could follow it."""

    reader: Reader
    budget: str
    report: Report

    def run(self) -> None:
        """Lengths, then words."""
        every = [*map(long, LENGTHS), long(LENGTHS[0])]
        self._judge("lengths", every)
        self._judge("words", [wide(WORDS[self.budget])])

    def _judge(self, what: str, worlds: Sequence[World]) -> None:
        start = time.monotonic()
        reads, stopped = self._read(worlds, start)
        if not reads:
            self.report.notes.append(f"{what}: not read, {stopped}")
            return
        failed = reading.failures(reads, self.reader.how)
        verdict = "exact" if not any(read.gaps for read in reads) else "exact_within"
        if failed:
            verdict = "rejected"
            self.report.witness = self.report.witness or _witness(failed[0])
        asked = ", ".join(self._named(what, read.world) for read in reads)
        wrong = f"wrong at {self._named(what, failed[0].world)}" if failed else ""
        rest = f"not all were read: {stopped}" if stopped else ""
        detail = "; ".join(filter(None, [f"{what} {asked}", wrong, rest]))
        seconds = round(time.monotonic() - start, 3)
        name = f"verify/{self.reader.mode}/{what}"
        self.report.tiers.append(Tier(name, verdict, detail, seconds, len(reads)))

    def _read(self, worlds: Sequence[World], start: float) -> tuple[list[Read], str]:
        """What could be read in time, and why not the rest."""
        reads, stopped = list[Read](), ""
        for world in worlds:
            if time.monotonic() - start > SECONDS[self.budget]:
                return reads, stopped or "time ended"
            try:
                reads.append(self.reader.read(world))
            except (Failed, Skipped) as how:
                stopped = stopped or f"it fails in {world.name}: {how}"
            except Unreadable as how:
                return reads, str(how)
        return reads, stopped

    @staticmethod
    def _named(what: str, world: World) -> str:
        return str(len(world.branching) if what == "lengths" else world.vocab)


def _witness(read: Read) -> Witness | None:
    """Its first wrong context, where the rows are short enough to be looked at."""
    gap, *others = read.gaps
    odds = figure(gap.want), figure(gap.got)
    if read.world.vocab > 2:
        return None
    return witness(read.world, gap.prefix, gap.token, *odds, wrong=1 + len(others))
