"""A machine that was measured, instead of looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from specsim.roofline.catalog import Gpu
from specsim.roofline.hardware import Family


@dataclass(frozen=True)
class Measured(Gpu):
    """A row like those of gpus.csv, with constants of its own kernels.

    kernels: name of a number format to what was measured of it. The first stands for
    the machine where a format was not measured.
    """

    kernels: Mapping[str, Family] = field(hash=False)
