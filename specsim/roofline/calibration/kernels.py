"""What was measured of the kernels over one number format."""

from collections.abc import Mapping
from dataclasses import dataclass

from specsim.roofline.catalog import Gpu
from specsim.roofline.constants import Spread
from specsim.roofline.hardware import Family
from specsim.roofline.measured import Measured


@dataclass(frozen=True)
class Kernels:
    """The constants of `hardware.Family`, and so much of them as calibration finds.

    product_us, attention_us, small_us: fixed times (us).
    product_bandwidth, attention_bandwidth: shares of the machine's bandwidth.
    product_compute, attention_compute: shares of its FLOP/s in that format.
    factors: (tokens, factor): by how much products of so many tokens depart from these.
    spread: of the measured times around all that.
    """

    product_us: float
    product_bandwidth: float
    product_compute: float
    attention_us: float
    attention_bandwidth: float
    attention_compute: float
    small_us: float
    factors: tuple[tuple[float, float], ...]
    spread: Spread

    def family(self, name: str, card: Gpu) -> Family:
        """The row that predictions read."""
        return Family(
            name=f"{card.name}, {name}",
            arch=(),
            kernel_us=self.product_us,
            bandwidth=self.product_bandwidth,
            attention_us=self.attention_us,
            attention_bandwidth=self.attention_bandwidth,
            attention_compute=self.attention_compute,
            small_us=self.small_us,
            compute=self.product_compute,
            compute_8bit=self.product_compute,
            compute_4bit=self.product_compute,
            factors=self.factors,
            spread=self.spread,
            source=card.source,
        )


def measured(card: Gpu, kernels: Mapping[str, Kernels]) -> Measured:
    """The machine as predictions read it; the first format stands for the others."""
    families = {name: of.family(name, card) for name, of in kernels.items()}
    return Measured(**vars(card), kernels=families)
