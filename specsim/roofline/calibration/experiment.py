"""The classic experiment: what do 8 tokens cost, when one costs this?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specsim.roofline.calibration.probes import Point


@dataclass(frozen=True)
class Experiment:
    """Products of one matrix with more and more tokens: the points of one format."""

    format: str
    points: tuple[Point, ...]

    @property
    def tokens(self) -> list[int]:
        """How many, in order."""
        return [point.work.tokens for point in self.points]

    @property
    def ratios(self) -> list[float]:
        """Seconds, in units of one token's."""
        return [point.seconds / self.points[0].seconds for point in self.points]

    def cost(self, tokens: float) -> float:
        """The ratio at so many tokens, read off on a logarithmic scale."""
        at = np.log(self.tokens)
        return float(np.interp(np.log(tokens), at, self.ratios))

    def affordable(self, times: float) -> int:
        """The most tokens up to which no number costs more than so many times one."""
        counts = range(1, self.tokens[-1] + 1)
        dear = (count for count in counts if self.cost(count) > times)
        return next(dear, self.tokens[-1] + 1) - 1


def experiments(points: Sequence[Point]) -> list[Experiment]:
    """One for each number format, on its largest matrix."""
    found: dict[str, dict[float, list[Point]]] = {}
    for point in points:
        if point.work.kind == "product":
            sizes = found.setdefault(point.work.format, {})
            sizes.setdefault(point.work.weights, []).append(point)
    return [_largest(form, sizes) for form, sizes in found.items()]


def _largest(form: str, sizes: dict[float, list[Point]]) -> Experiment:
    chosen = sorted(sizes[max(sizes)], key=lambda point: point.work.tokens)
    return Experiment(form, tuple(chosen))
