"""All-reduce across the GPUs of a tensor-parallel group."""

import re
from dataclasses import dataclass
from math import log2
from typing import Any

from specsim.errors import Bad
from specsim.roofline.catalog import Gpu
from specsim.roofline.links import LINKS, NODE_GB_PER_S, NODE_GPUS, NODE_US, Link


@dataclass(frozen=True)
class Group:
    """GPUs that reduce together: a fixed time, and bandwidth per direction.

    alpha_s: seconds one all-reduce takes however small. bytes_per_s: what a GPU
    sends, and receives at the same time.
    """

    gpus: int
    link: Link
    alpha_s: float
    bytes_per_s: float
    nodes: int

    def all_reduce(self, message: Any) -> Any:
        """Seconds to sum `message` bytes, held by each GPU, onto all of them.

        A ring or a two-step exchange: each GPU sends 2 (n - 1) / n of the message.
        """
        if self.gpus == 1:
            return 0.0 * message
        share = 2 * (self.gpus - 1) / self.gpus
        return self.alpha_s + share * message / self.bytes_per_s

    def all_to_all(self, message: Any) -> Any:
        """Seconds for each GPU to send `message` bytes, spread over all of them."""
        share = (self.gpus - 1) / self.gpus
        return self.alpha_s + share * message / self.bytes_per_s

    def send(self, message: Any) -> Any:
        """Seconds to hand `message` bytes to one other GPU."""
        return self.alpha_s + message / self.bytes_per_s


def linked(gpu: Gpu) -> bool:
    """Whether several of these can work together at all."""
    return bool(gpu.ic_per_dir_gbs or gpu.pcie_per_dir_gbs)


def group(gpu: Gpu, gpus: int) -> Group:
    """`gpus` of them over their best link; a bridge joins two, a board eight."""
    if gpus > 1 and not linked(gpu):
        raise Bad(f"{gpu.name} has no link to a second one: use --gpus 1")
    link, rate = _link(gpu, gpus)
    board = min(gpus, domain(gpu))
    at = max(0, min(2, round(log2(board)) - 1))
    alpha, speed = link.alpha_us[at] * 1e-6, rate * link.bandwidth[at] * 1e9
    nodes = -(-gpus // domain(gpu))
    if nodes > 1:
        alpha += NODE_US * 1e-6 * log2(nodes)
        speed = min(speed, NODE_GB_PER_S * 1e9)
    return Group(gpus, link, alpha, speed, nodes)


def domain(gpu: Gpu) -> int:
    """How many share one fabric before a network is needed."""
    found = re.search(r"(\d+)-GPU domain", gpu.interconnect)
    return int(found[1]) if found else NODE_GPUS


def _link(gpu: Gpu, gpus: int) -> tuple[Link, float]:
    """The link and its bandwidth per direction in GB/s."""
    fabric = gpu.ic_per_dir_gbs or 0.0
    if not fabric or ("bridge" in gpu.interconnect and gpus > 2 and gpu.pcie):
        return LINKS["PCIe"], gpu.pcie_per_dir_gbs or 1.0
    for name in ("NVLink5", "NVLink4", "NVLink3"):
        if gpu.interconnect.startswith(name):
            return LINKS[name], fabric
    return LINKS["generic"], fabric
