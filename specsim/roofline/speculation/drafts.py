"""The draft of a deployment: what proposes, where, and what a proposal takes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from specsim.errors import Bad
from specsim.roofline import costs, fit, names, step
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.operation import Numbers, Op, product
from specsim.roofline.plan import Plan
from specsim.roofline.question import stored
from specsim.roofline.speculation.drafters import Drafter
from specsim.roofline.speculation.layers import held_bytes, layers, numbers, part
from specsim.roofline.speculation.loops import Loop, loop
from specsim.roofline.step import Seconds
from specsim.roofline.work import Amount, Work


@dataclass(frozen=True)
class Draft:
    """What proposes to `target`: a drafter's model on the target's GPUs, if it has one.

    products: matrices beside the model's, (rows, columns): what joins a pass's inputs,
        or the block and the head of one position.
    bytes:    weights the GPUs hold for it between them, beside the target's own.
    """

    drafter: Drafter
    loop: Loop
    target: Deployment
    deployment: Deployment | None = None
    products: tuple[tuple[int, int], ...] = ()
    bytes: float = 0.0

    def seconds(
        self, batch: Amount, k: Amount, width: Amount, context: Amount
    ) -> Seconds:
        """Proposing k tokens one after the other, `width` of them side by side.

        The first pass takes in what the last step emitted, up to k + 1 tokens.
        """
        if self.drafter.kind == "none":
            return 0.0
        if self.deployment is None:
            passes = np.minimum(k, 1) if self.drafter.one_pass else k
            return k * self._beside(batch) + passes * self.loop.pass_us * 1e-6
        first = self._pass(self.deployment, batch, k + 1, context)
        if self.drafter.one_pass:
            return np.minimum(k, 1) * first
        each = self._pass(self.deployment, batch, width, context)
        return np.where(k > 0, first + (k - 1) * each, 0.0)

    def verifier(self, tree: bool) -> Deployment:
        """What verifies: the target, or the layers of it that the draft left over."""
        made = self.target
        if tree and self.loop.launch_us is not None:
            engine = replace(made.engine, launch_us=self.loop.launch_us)
            made = replace(made, engine=engine)
        if self.drafter.reused and self.deployment is not None:
            left = 1 - self.deployment.model.layers / made.model.layers
            made = replace(made, model=part(made.model, left))
        return made

    def overhead(self, tree: bool) -> Seconds:
        """Host time of a step beside its passes."""
        host, layers = self.loop, self.target.model.layers
        branches = tree or self.drafter.paths > 1
        us = host.tree_us + layers * host.layer_us if branches else 0.0
        return (host.step_us + us) * 1e-6

    def cache_bytes(self, batch: Amount, context: Amount) -> Amount:
        """KV cache of the draft, on all GPUs together."""
        made = self.deployment
        if made is None or self.drafter.kind == "share":
            return 0.0
        kv, plan = made.numbers.kv, made.plan
        return plan.gpus * costs.cache_bytes(made.model, batch, context, plan, kv)

    def _pass(
        self, made: Deployment, batch: Amount, tokens: Amount, context: Amount
    ) -> Seconds:
        """One pass of its model; a drafter in one pass has words for all its tokens."""
        scored = None if self.drafter.one_pass else np.minimum(tokens, 1)
        work = Work(batch, tokens, context, scored)
        return made.run(work, cached=True).seconds + self._beside(batch * tokens)

    def _beside(self, rows: Amount) -> Seconds:
        made = self.target
        timed = step.timed(list(self._ops(rows)), made.gpu, {}, made.engine)
        return step.total(timed)

    def _ops(self, rows: Amount) -> Iterator[Op]:
        made = self.deployment or self.target
        form = numbers(self.target.numbers, self.drafter).linear
        share = rows / (made.plan.dp * made.plan.pp)
        for width, columns in self.products:
            shape = (width, columns / made.plan.tp)
            yield product("draft", 1, shape, share, form)


def draft(
    target: Deployment, drafter: Drafter, model: str | Model | None, k: int
) -> Draft:
    """The draft of that kind for a target; k is the longest it is asked for.

    Bad where it wants a model and has none, or has one and wants none.
    """
    if drafter.kind == "model" and model is None:
        raise Bad(f"drafter {drafter.name}: name its model (--draft-model)")
    if drafter.kind != "model" and model is not None:
        raise Bad(f"drafter {drafter.name} has no model of its own: no --draft-model")
    host, width = loop(target.engine), target.model.hidden
    if drafter.kind == "none":
        return Draft(drafter, host, target)
    if drafter.kind == "heads":
        block, head = max(drafter.fused, 1) * width, (width, target.model.vocab)
        form = numbers(target.numbers, drafter).linear
        held = k * width * (block + target.model.vocab) * form.bytes
        return Draft(drafter, host, target, None, ((block, width), head), held)
    small, forms, held = _model(target, drafter, model)
    joined = ((drafter.fused * width, width),) if drafter.fused else ()
    made = _deployed(target, small, forms, host)
    return Draft(drafter, host, target, made, joined, held)


def _model(
    target: Deployment, drafter: Drafter, model: str | Model | None
) -> tuple[Model, Numbers, float]:
    """What runs, how it is stored, and its bytes beside the target's."""
    if model is not None:
        small = model if isinstance(model, Model) else names.model(model)
        forms = stored(small, None, None)
        return small, forms, costs.weight_bytes(small, forms)
    if drafter.kind == "share":
        return part(target.model, drafter.share), target.numbers, 0.0
    small, forms = layers(target.model, drafter), numbers(target.numbers, drafter)
    return small, forms, held_bytes(small, forms, drafter)


def _deployed(
    target: Deployment, model: Model, forms: Numbers, host: Loop
) -> Deployment:
    """On the same GPUs: divided as the target is, or whole where it cannot be.

    A pass of it costs the host what the loop says, not what scheduling a step does.
    """
    plan = target.plan
    tp = plan.tp if plan.tp in fit.degrees(model, target.gpu) else 1
    ep = plan.ep if model.moe_experts and tp == plan.tp else 1
    us = (host.pass_us,) * 3
    engine = replace(target.engine, step_us=us, sequence_us=(0.0,) * 3)
    return Deployment(model, target.gpu, Plan(tp=tp, ep=ep, dp=plan.dp), forms, engine)
