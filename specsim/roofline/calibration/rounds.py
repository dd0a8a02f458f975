"""Timing in rounds: every probe once a round, so that all see the same machine."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from specsim.roofline.calibration.clock import Clock
from specsim.roofline.calibration.probes import Point, Probe

LEAST_ROUNDS = 3

Say = Callable[[str], None]
Samples = NDArray[np.float64]


def sample(probes: Sequence[Probe], clock: Clock, seconds: float, say: Say) -> Samples:
    """Seconds of each probe (columns) in each round (rows), for about `seconds`.

    At least three rounds. Each probe ran before: a first call pays for pages and plans.
    """
    start, place = time.monotonic(), 0
    calls = [clock.calls(probe) for probe in probes]
    rounds: list[list[float]] = []
    while len(rounds) < LEAST_ROUNDS or time.monotonic() - start < seconds:
        row = []
        for probe, count in zip(probes, calls, strict=True):
            place = beyond(place, probe.piece)
            row.append(clock.seconds(probe, place, count))
            place += count * probe.piece
        rounds.append(row)
        took = time.monotonic() - start
        say(f"round {len(rounds)}, {took:.0f} of about {seconds:.0f} s")
    return np.array(rounds)


def beyond(place: int, piece: int) -> int:
    """The first multiple of a piece's size that is not less.

    >>> beyond(100, 64), beyond(128, 64), beyond(5, 0)
    (128, 128, 5)
    """
    return -(-place // piece) * piece if piece else place


def points(probes: Sequence[Probe], samples: Samples) -> list[Point]:
    """Each probe's median, and its 10th and 90th percentile."""
    low, usual, high = np.quantile(samples, [0.1, 0.5, 0.9], axis=0).tolist()
    return [
        Point(probe.work, *of)
        for probe, *of in zip(probes, usual, low, high, strict=True)
    ]


def slowness(samples: Samples) -> Samples:
    """How much slower than usual each round was: its median, over probes."""
    found: Samples = np.median(samples / np.median(samples, axis=0), axis=1)
    return found
