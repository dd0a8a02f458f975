"""Machines whose constants are known, and what timing them would give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from specsim.roofline.calibration import bench, rows
from specsim.roofline.calibration.kernels import Kernels
from specsim.roofline.calibration.probes import TOKENS, Point, Probe, Work, product
from specsim.roofline.calibration.result import Calibration
from specsim.roofline.calibration.rows import Found
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import Spread

WIDTHS = {"bf16": 2, "fp32": 4, "int8": 1}


@dataclass(frozen=True)
class Machine:
    """Seconds of a product: fixed + off(tokens) * sqrt(memory^2 + compute^2)."""

    fixed: float = 8e-6
    rate: float = 20e9
    speed: float = 150e9
    bandwidth: float = 25e9
    attention_rate: float = 4e9
    small: float = 60e-6
    off: Callable[[int], float] = lambda tokens: 1.0

    def seconds(self, work: Work) -> float:
        """What it takes, without noise."""
        if work.kind in ("read", "copy"):
            return work.bytes / self.bandwidth
        if work.kind == "small":
            return self.small
        if work.kind == "attention":
            return self.fixed + work.bytes / self.attention_rate
        if work.kind == "prefill":
            return work.flops / self.speed * 4
        bare = np.hypot(work.bytes / self.rate, work.flops / self.speed)
        return self.fixed + self.off(work.tokens) * float(bare)


def works(forms: Sequence[str] = ("bf16", "fp32")) -> list[Work]:
    """What calibration times."""
    made = [Work("read", "fp32", 1, 2e8, 2e8, 0), Work("copy", "fp32", 1, 1e8, 2e8, 0)]
    for form in forms:
        made += [product(form, WIDTHS[form], 1, 2048, 256)]
        for columns in (2048, 8192):
            made += [product(form, WIDTHS[form], n, 2048, columns) for n in TOKENS]
        made += [product(form, WIDTHS[form], 1024, 1024, 1024)]
        caches = (WIDTHS[form] * 2 * 4 * 128 * context for context in (512, 4096))
        made += [Work("attention", form, 1, size, size, 0) for size in caches]
        made += [
            Work("prefill", form, 256, 0, 1e6, 1e9),
            Work("small", form, 1, 0, 0, 0),
        ]
    return made


def probes(*given: Work) -> list[Probe]:
    """They do nothing."""
    return [Probe(work, lambda place: place) for work in given]


def samples(machine: Machine, given: Sequence[Work], rounds: int, noise: float,
            seed: int = 0) -> np.ndarray:  # fmt: skip
    """Rounds (rows) of works (columns), each slower by the size of a normal number."""
    exact = np.array([machine.seconds(work) for work in given])
    slow = np.abs(np.random.default_rng(seed).normal(size=(rounds, len(given))))
    made: np.ndarray = exact * (1 + noise * slow)
    return made


def exact(machine: Machine, given: Sequence[Work]) -> list[Point]:
    """What clocks without noise would show."""
    taken = [machine.seconds(work) for work in given]
    return [Point(w, s, s, s) for w, s in zip(given, taken, strict=True)]


def blank() -> Gpu:
    """The row of a computer nobody has measured."""
    return bench.row(name="Synthetic, 1 thread", vendor="none", arch="CPU", mem_gb=64.0,
                     mem_type="shared with the host", source="a test")  # fmt: skip


def found(machine: Machine, forms: Sequence[str] = ("bf16", "fp32")) -> Found:
    """All its points, without noise."""
    return Found(exact(machine, works(forms)), Spread(1, 1))


def calibration(machine: Machine = Machine()) -> Calibration:
    """As `calibrate` would have it."""
    points = found(machine)
    card = rows.card(points, blank())
    kernels: dict[str, Kernels] = rows.kernels(points, card)
    return Calibration(card, kernels, "cpu", 1, "nothing 1.0", 3, 2.5, ("a note",),
                       tuple(points.points))  # fmt: skip
