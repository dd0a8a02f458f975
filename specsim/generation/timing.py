"""Runs timed side by side, so that a busy machine is as unfair to one as to another."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from specsim.generation.clock import Seconds
from specsim.generation.run import Run


@dataclass(frozen=True)
class Timed:
    """Rounds of two runs side by side, with the drafter and without."""

    runs: list[Run]
    plain: list[Run]

    @property
    def seconds(self) -> Seconds:
        """Of the run in the middle."""
        ordered = sorted(
            (run.seconds for run in self.runs), key=lambda each: each.total
        )
        return ordered[(len(ordered) - 1) // 2]

    @property
    def plain_seconds(self) -> float:
        """What plain decoding takes to say as many tokens, by the median speed-up."""
        return self.speedup * self.seconds.total

    @property
    def speedup(self) -> float:
        """The median round's."""
        return median(self.speedups)

    @property
    def speedups(self) -> list[float]:
        """Round by round."""
        pairs = zip(self.runs, self.plain, strict=True)
        return [plain.seconds.total / run.seconds.total for run, plain in pairs]


def in_turn(*both: Iterator[Run]) -> list[Run]:
    """All to their ends; the one that has said least goes on, so that whatever else the
    machine does meanwhile slows all alike.
    """
    runs, going = [next(each) for each in both], dict(enumerate(both))
    while going:
        behind = min(going, key=lambda i: len(runs[i].emitted))
        if next(going[behind], None) is None:
            del going[behind]
    return runs
