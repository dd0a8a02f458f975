"""From measured points to the rows that predictions read: a GPU's, and its kernels'."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from specsim.roofline import step
from specsim.roofline.calibration import fitting, rounds
from specsim.roofline.calibration.fitting import Form
from specsim.roofline.calibration.kernels import Kernels
from specsim.roofline.calibration.probes import Kind, Point, Probe
from specsim.roofline.calibration.rounds import Samples
from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import Spread
from specsim.roofline.formats import FORMATS

ORDER = "bf16", "fp32", "int8"
"""The first that was measured stands for the machine."""

SMALL = 4
"""Small operations of a layer, as `roofline.costs` counts them."""

SHAPES = Spread(0.95, 1.05)
"""Matrices of a model have other shapes than those measured here."""


@dataclass(frozen=True)
class Found:
    """All points of a machine, and how far whole rounds were from the usual."""

    points: Sequence[Point]
    drift: Spread

    def of(self, kind: Kind, form: str | None = None) -> list[Point]:
        """The points of that kind and, where it is given, that number format."""
        return [
            point
            for point in self.points
            if point.work.kind == kind and form in (None, point.work.format)
        ]

    @property
    def bandwidth(self) -> float:
        """Bytes a second of memory, read or copied, the better of the two."""
        passes = [*self.of("read"), *self.of("copy")]
        return max(point.work.bytes / point.seconds for point in passes)

    def peak(self, form: str) -> float:
        """FLOP/s of the product of most tokens."""
        largest = max(self.of("product", form), key=lambda point: point.work.tokens)
        return largest.work.flops / largest.seconds

    @property
    def formats(self) -> list[str]:
        """Those with products, in the order of `ORDER`."""
        return [form for form in ORDER if self.of("product", form)]


def found(probes: Sequence[Probe], samples: Samples) -> Found:
    """What rounds (rows) of probes (columns) show."""
    drift = fitting.spread(rounds.slowness(samples).tolist())
    return Found(rounds.points(probes, samples), drift)


def card(found: Found, blank: Gpu) -> Gpu:
    """The machine's row: `blank` with measured rates.

    A row of gpus.csv keeps the rates of its datasheet; kernels then fall short of them.
    """
    if blank.mem_bw_gbs:
        return blank
    columns = {form: FORMATS[form].peak for form in found.formats}
    peaks = {peak: found.peak(form) / 1e12 for form, peak in columns.items() if peak}
    rates: dict[str, Any] = {"mem_bw_gbs": found.bandwidth / 1e9} | peaks
    return replace(blank, **rates)


def kernels(found: Found, card: Gpu) -> dict[str, Kernels]:
    """Of every number format measured, in units of the card's rates."""
    return {name: _kernels(found, name, card) for name in found.formats}


def _kernels(found: Found, name: str, card: Gpu) -> Kernels:
    products = found.of("product", name)
    form = fitting.form(products)
    wide = name if found.of("attention", name) else found.formats[0]
    fixed, rate = _attention(found, wide, form)
    memory, peak = card.mem_bw_gbs * 1e9, step.peak(card, FORMATS[name])
    return Kernels(
        product_us=1e6 * form.fixed,
        product_bandwidth=form.rate / memory,
        product_compute=form.speed / peak,
        attention_us=1e6 * fixed,
        attention_bandwidth=rate / memory,
        attention_compute=_prefill(found, wide, form) / peak,
        small_us=1e6 * _small(found, wide),
        factors=form.factors,
        spread=fitting.spread(fitting.ratios(products, form)) * found.drift * SHAPES,
    )


def _attention(found: Found, name: str, form: Form) -> tuple[float, float]:
    """Fixed seconds and bytes a second; those of products where it was not measured."""
    if points := found.of("attention", name):
        return fitting.line(points)
    return form.fixed, form.rate


def _prefill(found: Found, name: str, form: Form) -> float:
    """FLOP/s of attention over a prompt; of products where it was not measured."""
    for point in found.of("prefill", name):
        return point.work.flops / point.seconds
    return form.speed


def _small(found: Found, name: str) -> float:
    return next(point.seconds for point in found.of("small", name)) / SMALL
