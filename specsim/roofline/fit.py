"""Does it fit, on how many GPUs, and what is left for more cache."""

from collections.abc import Iterator

from specsim.roofline import costs, shapes
from specsim.roofline.case import Case
from specsim.roofline.catalog import Gpu
from specsim.roofline.communication import linked
from specsim.roofline.constants import (
    BOARD_SHARE,
    COLLECTIVE_GB,
    ROOM_SHARE,
    RUNTIME_GB,
    UNIFIED_SHARE,
)

GIB = 2**30


def usable_bytes(gpu: Gpu, gpus: int) -> float:
    """What weights and cache may take on one GPU of `gpus`.

    A card sold as 80 GB has 80 GiB. Memory shared with a host leaves less.
    """
    shared = "unified" in gpu.mem_type or "shared" in gpu.mem_type
    share = UNIFIED_SHARE if shared else BOARD_SHARE
    taken = RUNTIME_GB + (COLLECTIVE_GB if gpus > 1 else 0)
    return max(gpu.mem_gb * GIB * share - taken * 1e9, 0.0)


def needed_bytes(case: Case, gpus: int) -> float:
    """Weights and cache that one GPU of `gpus` holds."""
    weights = costs.weight_bytes(case.model, case.numbers) / gpus
    return weights + float(
        costs.cache_bytes(case.model, case.batch, case.context, gpus, case.numbers.kv)
    )


def spare_bytes(case: Case, gpus: int) -> float:
    """Memory left on all `gpus` together; negative where it does not fit."""
    return gpus * (usable_bytes(case.gpu, gpus) - needed_bytes(case, gpus))


def degrees(case: Case) -> list[int]:
    """Degrees of tensor parallelism: powers of two that divide the heads.

    Key-value heads are divided too, or each is copied to the same number of GPUs.
    GPUs without a link to each other work alone.
    """
    return list(_degrees(case)) if linked(case.gpu) else [1]


def _degrees(case: Case) -> Iterator[int]:
    gpus, heads = 1, case.model.kv_heads
    while case.model.heads % gpus == 0:
        if shapes.is_mla(case.model) or heads % gpus == 0 or gpus % heads == 0:
            yield gpus
        gpus *= 2


def least(case: Case) -> int | None:
    """The smallest degree that fits; None if none does."""
    return next((n for n in degrees(case) if spare_bytes(case, n) >= 0), None)


def roomy(case: Case) -> int | None:
    """The smallest degree that leaves a quarter of its memory for more cache."""
    for gpus in degrees(case):
        if spare_bytes(case, gpus) >= ROOM_SHARE * gpus * usable_bytes(case.gpu, gpus):
            return gpus
    return None
