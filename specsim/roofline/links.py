"""What an all-reduce costs on each kind of link."""

from dataclasses import dataclass

from specsim.roofline.constants import TABLES


@dataclass(frozen=True)
class Link:
    """An all-reduce: a fixed time and a share of the bandwidth, for 2, 4, 8 GPUs."""

    name: str
    alpha_us: tuple[float, float, float]
    bandwidth: tuple[float, float, float]
    source: str


NVLINK = f"{TABLES}: custom kernels in a CUDA graph, 16 KB to 33 MB"
LINKS = {
    "NVLink3": Link("NVLink 3", (5.3, 6.2, 6.6), (0.52, 0.58, 0.57), NVLINK),
    "NVLink4": Link("NVLink 4", (4.5, 4.9, 5.4), (0.57, 0.6, 0.65), NVLINK),
    "NVLink5": Link("NVLink 5", (5, 5.5, 6.5), (0.45, 0.45, 0.5), NVLINK),
    "generic": Link("fabric", (6, 7, 8), (0.5,) * 3, "a guess: NVLink, a bit slower"),
    "PCIe": Link("PCIe", (7, 17, 30), (0.58, 0.24, 0.11),
                 f"{TABLES}: L40S at 16 KB and 2 MB, RTX PRO 6000 at 2 MB"),
}  # fmt: skip
NODE_GPUS = 8
NODE_US = 20.0
NODE_GB_PER_S = 50.0
"""Beyond one board of 8: an assumption, 400 Gb/s a GPU and 20 us more a doubling."""
