"""Time of a pass: per kernel a fixed time, then bytes and FLOPs, overlapped in part.

    seconds = fixed + sqrt(memory^2 + compute^2),
    memory = bytes / (e * bandwidth), compute = flops / (c * peak)

summed over kernels, which run one after the other. The square root is what measured
products show around the ridge, where waves of tiles leave both roofs out of reach. The
ideal has no fixed time, e = c = 1 and bytes and FLOPs of the whole pass overlapped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from specsim.roofline.catalog import Gpu
from specsim.roofline.communication import Group
from specsim.roofline.constants import EXPERT_COMPUTE, TILE
from specsim.roofline.engines import Engine
from specsim.roofline.formats import Format
from specsim.roofline.hardware import FAMILIES, GENERIC, Family, factor
from specsim.roofline.measured import Measured
from specsim.roofline.operation import Op, Wire

Seconds = Any
"""A float, or an array of them."""

BOUNDS = "memory", "compute", "latency", "communication"
HALVES = "bf16_tflops", "fp16_fp32acc_tflops", "fp16_tflops"

CACHED = 1.4
"""Bandwidth of weights that stay in the L2 cache, in units of the memory's: products
on L40S whose weights fit run at up to 1.4 times its memory bandwidth."""


@dataclass(frozen=True)
class Timed:
    """An operation and what one launch of it takes, in seconds."""

    op: Op
    fixed: Seconds
    memory: Seconds
    compute: Seconds
    communication: Seconds
    unpacking: Seconds = 0.0

    @property
    def busy(self) -> Seconds:
        """Arithmetic of both kinds: computing, and widening what is stored narrow."""
        return self.compute + self.unpacking

    @property
    def work(self) -> Seconds:
        """Moving bytes and computing, beyond the fixed time."""
        return np.sqrt(self.memory * self.memory + self.busy * self.busy)

    @property
    def seconds(self) -> Seconds:
        """All launches of a pass together."""
        return self.op.count * (self.fixed + self.work + self.communication)

    def shares(self) -> dict[str, Seconds]:
        """Seconds of the pass spent on each of `BOUNDS`; they add up to `seconds`."""
        binds = self.memory >= self.busy
        parts = (
            np.where(binds, self.work, 0.0),
            np.where(binds, 0.0, self.work),
            self.fixed,
            self.communication,
        )
        return {
            name: self.op.count * part for name, part in zip(BOUNDS, parts, strict=True)
        }

    @property
    def bound(self) -> str:
        """What most of its time goes to, for scalar amounts."""
        return largest(self.shares())


def largest(shares: dict[str, Seconds]) -> str:
    """The name of the greatest share, the first of equals."""
    return max(shares, key=lambda name: float(shares[name]))


def total(timed: Sequence[Timed]) -> Seconds:
    """Seconds of all operations, one after the other."""
    return sum(each.seconds for each in timed)


def shares(timed: Sequence[Timed]) -> dict[str, Seconds]:
    """Seconds of the whole pass spent on each of `BOUNDS`."""
    each = [one.shares() for one in timed]
    return {name: sum(share[name] for share in each) for name in BOUNDS}


def ideal(ops: Sequence[Op], gpu: Gpu) -> Seconds:
    """Seconds at datasheet rates: weights and cache read once, nothing else."""
    read = sum(op.count * (op.weights + op.cache) for op in ops)
    busy = sum(op.count * op.flops / peak(gpu, op.format) for op in ops)
    return np.maximum(read / (gpu.mem_bw_gbs * 1e9), busy)


def kernels(gpu: Gpu, form: Format) -> Family:
    """The constants of kernels over a format: its own where they were measured."""
    if isinstance(gpu, Measured) and form.name in gpu.kernels:
        return gpu.kernels[form.name]
    return _over(family(gpu), form)


@lru_cache(1000)
def _over(how: Family, form: Format) -> Family:
    return replace(
        how,
        kernel_us=how.kernel_us + form.kernel_us,
        bandwidth=how.bandwidth * form.bandwidth,
        spread=how.spread * form.spread,
    )


def family(gpu: Gpu) -> Family:
    """The constants of its architecture, or generic ones.

    A machine that was measured has those of the first format measured.
    """
    if isinstance(gpu, Measured):
        return next(iter(gpu.kernels.values()))
    for row in FAMILIES:
        if gpu.arch.startswith(row.arch):
            return row
    return GENERIC


def peak(gpu: Gpu, form: Format) -> float:
    """Dense FLOP/s of products over numbers stored as `form`."""
    return float(getattr(gpu, arithmetic(gpu, form))) * 1e12


def arithmetic(gpu: Gpu, form: Format) -> str:
    """The column of gpus.csv whose rate such products run at.

    Where the datasheet lacks the format it is a 16-bit one, or fp32.
    """
    columns = (form.peak, *HALVES)
    return next((c for c in columns if c and getattr(gpu, c)), "fp32_tflops")


def lacks(gpu: Gpu, form: Format) -> bool:
    """Whether the datasheet has no rate of the format's own."""
    return form.peak is not None and not getattr(gpu, form.peak)


def timed(
    ops: Sequence[Op],
    gpu: Gpu,
    groups: Mapping[Wire, Group],
    engine: Engine,
    cached: bool = False,
) -> list[Timed]:
    """Each operation with its times on `gpu`; groups hold the GPUs each wire joins.

    cached: the weights were read just before; if they fit they come from the L2 cache.
    """
    quick = CACHED if cached and _fits_cache(ops, gpu) else 1.0
    return [_timed(op, gpu, groups, engine, quick) for op in ops]


def _fits_cache(ops: Sequence[Op], gpu: Gpu) -> bool:
    size = max(gpu.l2_mb or 0.0, gpu.llc_mb or 0.0) * 2**20
    return bool(np.max(sum(op.count * op.weights for op in ops)) <= size)


def _timed(
    op: Op, gpu: Gpu, groups: Mapping[Wire, Group], engine: Engine, quick: float
) -> Timed:
    if op.wire is not None:
        return Timed(op, 0.0, 0.0, 0.0, _wired(op, groups[op.wire]))
    how = kernels(gpu, op.format)
    fixed, efficiency = _rates(op, how)
    cache = op.cache * (1 + (op.queries - 1) * engine.rereads)
    rate = gpu.mem_bw_gbs * 1e9 * efficiency
    memory = (op.weights / quick + cache + op.moved) / rate
    off = _off(op, how)
    compute, unpacking = _computing(op, gpu, how), _unpacking(op, gpu, how, engine)
    return Timed(op, fixed * 1e-6, off * memory, off * compute, 0.0, unpacking)


def executed(op: Op, gpu: Gpu) -> Any:
    """FLOPs of whole tiles; where kernels were measured, those asked for."""
    how = kernels(gpu, op.format)
    if how.factors:
        return op.flops
    if how.tile == TILE or op.kind not in ("product", "experts") or not op.format.peak:
        return op.tiled
    tokens = np.maximum(_tokens(op), 1e-9)
    if op.kind == "experts":  # some have more than the average, some less
        return op.flops * np.maximum(how.tile, tokens + how.tile / 2) / tokens
    return op.flops * np.ceil(tokens / how.tile) * how.tile / tokens


def _tokens(op: Op) -> Any:
    """How many each matrix is multiplied by."""
    return op.flops * op.format.bytes / np.maximum(2 * op.weights, 1.0)


def _off(op: Op, how: Family) -> Any:
    """How far measured products of so many tokens a matrix are off the form."""
    if not how.factors or op.kind not in ("product", "experts"):
        return 1.0
    return factor(how.factors, _tokens(op))


def _wired(op: Op, group: Group) -> Seconds:
    if op.wire == "all-reduce":
        return group.all_reduce(op.message)
    return (group.all_to_all if op.wire == "all-to-all" else group.send)(op.message)


def _rates(op: Op, how: Family) -> tuple[float, float]:
    """Fixed microseconds, and the share of peak bandwidth."""
    if op.kind == "product":
        return how.kernel_us, how.bandwidth
    if op.kind == "experts":
        return 2 * how.kernel_us + how.mixture_us, how.bandwidth
    if op.kind == "attention":
        return how.attention_us, how.attention_bandwidth
    return how.small_us, how.bandwidth


def _computing(op: Op, gpu: Gpu, how: Family) -> Seconds:
    """Whole tiles on matrix units, or just the tokens there are on plain fp32 ones."""
    column = arithmetic(gpu, op.format)
    by_peak = {"fp8_tflops": how.compute_8bit, "fp4_tflops": how.compute_4bit}
    reached = by_peak.get(column, how.compute)
    if op.kind == "attention":
        reached = how.attention_compute
    elif op.kind == "experts" and not how.factors:
        reached *= EXPERT_COMPUTE
    tiled = executed(op, gpu) / (peak(gpu, op.format) * reached)
    native = how.tile > TILE and op.format.peak
    if how.factors or native or not gpu.fp32_tflops:
        return tiled
    return np.minimum(tiled, op.flops / (gpu.fp32_tflops * 1e12 * how.compute))


def _unpacking(op: Op, gpu: Gpu, how: Family, engine: Engine) -> Seconds:
    """Widening each weight once, on the plain units; measured kernels include it."""
    form = op.format
    if op.kind not in ("product", "experts") or how.factors or not gpu.fp32_tflops:
        return 0.0
    rate, each = how.integer, form.unpack * engine.unpack
    if not form.unpack:
        rate, each = how.plain or how.integer, engine.plain
    return op.weights / form.bytes * each / (gpu.fp32_tflops * 1e12 * rate)
