"""A model served on GPUs by an engine, and one forward pass of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specsim.roofline import communication, costs, doubts, step
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.communication import Group
from specsim.roofline.constants import Spread
from specsim.roofline.engines import Engine
from specsim.roofline.operation import Numbers, Wire
from specsim.roofline.plan import Plan
from specsim.roofline.step import Seconds, Timed
from specsim.roofline.work import Amount, Work


@dataclass(frozen=True)
class Deployment:
    """What runs where: everything of a question but its batch and its lengths."""

    model: Model
    gpu: Gpu
    plan: Plan
    numbers: Numbers
    engine: Engine

    def run(self, *works: Work, cached: bool = False) -> "Pass":
        """One pass over these works together; cached: weights may be in L2 already."""
        ops = costs.ops(self.model, works, self.plan, self.numbers)
        timed = step.timed(ops, self.gpu, self.groups, self.engine, cached)
        return Pass(self, works, tuple(timed))

    @cached_property
    def groups(self) -> dict[Wire, Group]:
        """The GPUs that each kind of message joins."""
        join, plan = communication.group, self.plan
        return {
            "all-reduce": join(self.gpu, plan.tp),
            "all-to-all": join(self.gpu, plan.spread),
            "send": join(self.gpu, min(plan.gpus, 2)),
        }

    @cached_property
    def spread(self) -> Spread:
        """How far its kernels may be off, all doubts together."""
        return doubts.spread(self)


@dataclass(frozen=True)
class Pass:
    """A pass and its times, in seconds; arrays where the works hold arrays.

    timed: the operations of one GPU.
    """

    deployment: Deployment
    works: tuple[Work, ...]
    timed: tuple[Timed, ...]

    @cached_property
    def kernels_s(self) -> Seconds:
        """The sum of all kernels."""
        return step.total(self.timed)

    @property
    def seconds(self) -> Seconds:
        """The expected pass: kernels and host."""
        return self._busy(1.0) + self._host(1)

    @property
    def low_s(self) -> Seconds:
        """Where most measured passes begin; never less than the ideal."""
        low = self._busy(self.deployment.spread.low) + self._host(0)
        return np.maximum(self.ideal_s, low)

    @property
    def high_s(self) -> Seconds:
        """Where most measured passes end."""
        return self._busy(self.deployment.spread.high) + self._host(2)

    @property
    def host_s(self) -> Seconds:
        """What the expected pass takes beyond its kernels."""
        return self.seconds - self.kernels_s

    @cached_property
    def ideal_s(self) -> Seconds:
        """The pass at datasheet rates, nothing but weights, cache and FLOPs."""
        return step.ideal([each.op for each in self.timed], self.deployment.gpu)

    @property
    def batch(self) -> Amount:
        """Sequences of all works together."""
        return sum(work.batch for work in self.works)

    @cached_property
    def shares_s(self) -> dict[str, Seconds]:
        """The expected pass by what it goes to: `step.BOUNDS`, and host."""
        return step.shares(self.timed) | {"host": self.host_s}

    def totals(self, what: str) -> Amount:
        """Of all GPUs together: "weights", "cache", "moved", "bytes" or "flops".

        What the plan keeps whole on each GPU counts once for each, and the stages of a
        pipeline go through their weights for each part of the batch.
        """
        one = sum(each.op.count * getattr(each.op, what) for each in self.timed)
        return self.copies * one

    @property
    def copies(self) -> Amount:
        """How many times what one GPU does is done until each sequence has passed."""
        plan = self.deployment.plan
        parts = [work.part(1 / (plan.dp * plan.pp)) for work in self.works]
        return plan.tp * self.batch / sum(part.batch for part in parts)

    def _busy(self, factor: float) -> Seconds:
        """Kernels, or their launches if those take longer."""
        engine, layers = self.deployment.engine, self.deployment.model.layers
        launches = engine.launch_us * layers * 1e-6
        return factor * np.maximum(self.kernels_s, launches)

    def _host(self, at: int) -> Seconds:
        engine, layers = self.deployment.engine, self.deployment.model.layers
        fixed = engine.step_us[at] + layers * engine.layer_us[at]
        each = self.batch / self.deployment.plan.dp * engine.sequence_us[at]
        return 1e-6 * (fixed + each)
