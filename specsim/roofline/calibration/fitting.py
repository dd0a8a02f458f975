"""From times to the constants of the model's own form.

    seconds = fixed + sqrt((bytes / rate)^2 + (flops / speed)^2) * factor(tokens)

Products of one token give the fixed time and the rate of reading, the one large square
product gives the speed. Where products of some number of tokens still take longer, or
shorter, the library has other kernels for them; that is the factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from specsim.roofline.calibration.probes import Point, Work
from specsim.roofline.constants import Spread
from specsim.roofline.hardware import factor

LEAST_WORK = 0.5
"""Only points that spend so much of their time beyond the fixed time tell a factor."""

PLAIN = ((1.0, 1.0),)
"""No factor at all."""


@dataclass(frozen=True)
class Form:
    """The constants: seconds, bytes a second, FLOPs a second, and (tokens, factor)."""

    fixed: float
    rate: float
    speed: float
    factors: tuple[tuple[float, float], ...] = PLAIN

    def work(self, work: Work) -> float:
        """Seconds of moving and computing, before the factor."""
        return float(np.hypot(work.bytes / self.rate, work.flops / self.speed))

    def seconds(self, work: Work) -> float:
        """Seconds of a product."""
        off = float(factor(self.factors, work.tokens))
        return self.fixed + off * self.work(work)


def line(points: Sequence[Point]) -> tuple[float, float]:
    """Fixed seconds and bytes a second of least squared relative error, neither < 0."""
    moved = np.array([point.work.bytes for point in points])
    taken = np.array([point.seconds for point in points])
    terms = np.stack([1 / taken, moved / taken], axis=1)
    fixed, per_byte = np.linalg.lstsq(terms, np.ones(len(taken)))[0].tolist()
    if fixed < 0 or len(points) == 1:
        fixed, per_byte = 0.0, float(terms[:, 1].sum() / (terms[:, 1] ** 2).sum())
    if per_byte <= 0:
        return 0.0, float(np.max(moved / taken))
    return fixed, 1 / per_byte


def speed(point: Point, fixed: float, rate: float) -> float:
    """FLOPs a second of a product that computes far longer than it reads."""
    whole = max(point.seconds - fixed, point.seconds / 2)
    reading = min(point.work.bytes / rate, whole / 2)
    return point.work.flops / float(np.sqrt(whole**2 - reading**2))


def form(points: Sequence[Point]) -> Form:
    """Of the products of one number format."""
    fixed, rate = line([point for point in points if point.work.tokens == 1])
    largest = max(points, key=lambda point: point.work.tokens)
    bare = Form(fixed, rate, speed(largest, fixed, rate))
    return replace(bare, factors=tuple(_factors(points, bare)) or PLAIN)


def _factors(points: Sequence[Point], bare: Form) -> list[tuple[float, float]]:
    found: dict[int, list[float]] = {}
    for point in points:
        work, beyond = point.work, point.seconds - bare.fixed
        if beyond >= LEAST_WORK * point.seconds:
            found.setdefault(work.tokens, []).append(beyond / bare.work(work))
    return [(float(n), float(np.median(ratios))) for n, ratios in sorted(found.items())]


def ratios(points: Sequence[Point], made: Form) -> list[float]:
    """Measured times in units of the form's."""
    return [point.seconds / made.seconds(point.work) for point in points]


def spread(ratios: Sequence[float]) -> Spread:
    """Between their 10th and their 90th percentile, 1 included."""
    low, high = np.quantile(ratios, [0.1, 0.9]).tolist()
    return Spread(min(1.0, low), max(1.0, high))
