"""Does it fit, on how many GPUs, and what is left for more cache."""

from collections.abc import Iterator
from dataclasses import replace

from specsim.errors import Bad
from specsim.roofline import costs, shapes
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.communication import linked
from specsim.roofline.constants import (
    BOARD_SHARE,
    COLLECTIVE_GB,
    ROOM_SHARE,
    RUNTIME_GB,
    UNIFIED_SHARE,
)
from specsim.roofline.deployment import Deployment
from specsim.roofline.plan import Plan
from specsim.roofline.work import Amount

GIB = 2**30


def usable_bytes(gpu: Gpu, gpus: int) -> float:
    """What weights and cache may take on one GPU of `gpus`.

    A card sold as 80 GB has 80 GiB. Memory shared with a host leaves less.
    """
    shared = "unified" in gpu.mem_type or "shared" in gpu.mem_type
    share = UNIFIED_SHARE if shared else BOARD_SHARE
    taken = RUNTIME_GB + (COLLECTIVE_GB if gpus > 1 else 0)
    return max(gpu.mem_gb * GIB * share - taken * 1e9, 0.0)


def held_bytes(made: Deployment) -> float:
    """Weights that one GPU holds; replicas of attention hold all but experts again."""
    plan, model = made.plan, made.model
    everything = costs.weight_bytes(model, made.numbers)
    mixtures = shapes.moe_layers(model) * (model.moe_experts or 0)
    experts = mixtures * shapes.expert(model) * made.numbers.experts.bytes
    others = (everything - experts) / plan.tp
    return (others + experts / plan.spread) / plan.pp


def needed_bytes(made: Deployment, batch: Amount, context: Amount) -> Amount:
    """Weights and cache that one GPU holds."""
    kv = made.numbers.kv
    cache = costs.cache_bytes(made.model, batch, context, made.plan, kv)
    return held_bytes(made) + cache


def spare_bytes(made: Deployment, batch: Amount, context: Amount) -> Amount:
    """Memory left on all GPUs together; negative where it does not fit."""
    gpus = made.plan.gpus
    usable = usable_bytes(made.gpu, gpus)
    return gpus * (usable - needed_bytes(made, batch, context))


def degrees(model: Model, gpu: Gpu) -> list[int]:
    """Degrees of tensor parallelism: powers of two that divide the heads.

    Key-value heads are divided too, or each is copied to the same number of GPUs.
    GPUs without a link to each other work alone.
    """
    return list(_degrees(model)) if linked(gpu) else [1]


def _degrees(model: Model) -> Iterator[int]:
    gpus, heads = 1, model.kv_heads
    while model.heads % gpus == 0:
        if shapes.is_mla(model) or heads % gpus == 0 or gpus % heads == 0:
            yield gpus
        gpus *= 2


def over(made: Deployment, gpus: int) -> Deployment:
    """The same, tensor parallel over so many GPUs."""
    return replace(made, plan=Plan(tp=gpus))


def checked(made: Deployment) -> Deployment:
    """The same; Bad where the plan cannot divide the model."""
    model, plan = made.model, made.plan
    if plan.tp not in degrees(model, made.gpu):
        raise Bad(
            f"gpus {plan.tp}: {_what(made)} can be divided over {_ways(made)} only"
        )
    if plan.pp > model.layers:
        raise Bad(f"pp {plan.pp}: {model.name} has {model.layers} layers")
    if (model.moe_experts or 1) % plan.ep:
        experts = f"{model.moe_experts or 'no'} experts"
        raise Bad(f"ep {plan.ep}: {model.name} has {experts} to deal out")
    return made


def least(made: Deployment, batch: int, context: int) -> Deployment:
    """On the smallest degree that fits; Bad if none does."""
    if (gpus := least_gpus(made, batch, context)) is None:
        raise Bad(
            f"{_what(made)}: does not fit on {_ways(made)}, the ways it can be "
            "divided; take a larger GPU, fewer bytes a weight, or force it with --gpus"
        )
    return over(made, gpus)


def least_gpus(made: Deployment, batch: int, context: int) -> int | None:
    """The smallest degree that fits; None if none does."""
    return next(
        (n for n, spare, _ in _spares(made, batch, context) if spare >= 0), None
    )


def roomy(made: Deployment, batch: int, context: int) -> int | None:
    """The smallest degree that leaves a quarter of its memory for more cache."""
    ways = _spares(made, batch, context)
    return next(
        (gpus for gpus, spare, all_ in ways if spare >= ROOM_SHARE * all_), None
    )


def _spares(
    made: Deployment, batch: int, context: int
) -> Iterator[tuple[int, float, float]]:
    """Degree, memory left, and usable memory."""
    for gpus in degrees(made.model, made.gpu):
        usable = gpus * usable_bytes(made.gpu, gpus)
        yield gpus, float(spare_bytes(over(made, gpus), batch, context)), usable


def _what(made: Deployment) -> str:
    return f"{made.model.name} in {made.numbers.experts.name} on {made.gpu.name}"


def _ways(made: Deployment) -> str:
    *most, last = map(str, degrees(made.model, made.gpu))
    return f"{', '.join(most)} or {last} GPUs" if most else f"{last} GPU"
