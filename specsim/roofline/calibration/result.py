"""A calibration: the machine as predictions read it, and what was measured."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import log
from pathlib import Path
from typing import Any

from specsim.roofline import step
from specsim.roofline.calibration import files
from specsim.roofline.calibration.experiment import experiments
from specsim.roofline.calibration.kernels import Kernels, measured
from specsim.roofline.calibration.probes import Point
from specsim.roofline.catalog import Gpu
from specsim.roofline.formats import FORMATS
from specsim.roofline.measured import Measured

VERSION = 1


@dataclass(frozen=True)
class Calibration:
    """What `specsim calibrate` found.

    card:     the machine as a row of gpus.csv.
    kernels:  what was measured of each number format; the first stands for the others.
    device:   cpu or cuda. threads: of the library, software: its name and version.
    rounds:   how often everything was timed, in `seconds` altogether.
    points:   every probe, and what it took.
    """

    card: Gpu
    kernels: Mapping[str, Kernels]
    device: str
    threads: int
    software: str
    rounds: int
    seconds: float
    notes: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def gpu(self) -> Measured:
        """What predictions read; its notes are those of the measurement."""
        notes = "; ".join(self.notes) or None
        return measured(replace(self.card, notes=notes), self.kernels)

    def as_dict(self) -> dict[str, Any]:
        """What the file holds; `load` reads it again."""
        row = asdict(self.card)
        return {
            "specsim_calibration": VERSION,
            "gpu": {name: value for name, value in row.items() if value is not None},
            "kernels": {name: asdict(of) for name, of in self.kernels.items()},
            "device": self.device,
            "threads": self.threads,
            "software": self.software,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "points": [asdict(point) for point in self.points],
        }

    def save(self, path: Path | str) -> None:
        """Write it as JSON, whole or not at all; Bad where that is impossible."""
        files.write(Path(path), self.as_dict())

    def text(self) -> str:
        """For people."""
        return "\n".join(_lines(self))


def _lines(made: Calibration) -> Iterator[str]:
    """The machine; two lines a number format; the classic experiment."""
    took = f"{made.rounds} rounds in {made.seconds:.0f} s"
    yield f"{made.card.name}, {made.software}, {took}"
    yield f"{'memory':8} {made.card.mem_bw_gbs:,.4g} GB/s"
    for name, of in made.kernels.items():
        yield from _kernels(name, of, made.card)
    yield ""
    for each in experiments(made.points):
        yield (
            f"{each.format:8} 8 tokens cost {each.cost(8):.2f} times one; up to "
            f"{each.affordable(1.1)} cost 1.1 times, up to {each.affordable(2)} twice"
        )
    yield from (f"note: {note}" for note in made.notes)


def _kernels(name: str, of: Kernels, card: Gpu) -> Iterator[str]:
    rate = of.product_bandwidth * card.mem_bw_gbs
    speed = of.product_compute * step.peak(card, FORMATS[name]) / 1e9
    tokens, factor = max(of.factors, key=lambda pair: abs(log(pair[1])))
    yield (
        f"{name:8} products {of.product_us:.3g} us + bytes at {rate:,.3g} GB/s "
        f"({of.product_bandwidth:.0%}) and FLOPs at {speed:,.3g} GFLOP/s; "
        f"of {tokens:g} tokens {factor:.2f} times that"
    )
    yield (
        f"{'':8} attention {of.attention_us:.3g} us + bytes at "
        f"{of.attention_bandwidth:.1%}, small operations {of.small_us:.3g} us each; "
        f"interval {of.spread.low:.2f} to {of.spread.high:.2f}"
    )
