"""What speculation buys on a deployment: tokens of a step over what the step takes.

    step = draft + verify + overhead,   speed-up = tokens * plain step / step

Verifying is one pass over k + 1 tokens of each sequence: weights and cache are read
once, FLOPs and the distinct experts of a mixture grow. So the speed-up of a mixture
first falls with the batch, as experts are read for drafts alone, and rises again once
plain steps read them all.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline import fit
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.speculation import acceptance as accepting
from specsim.roofline.speculation.acceptance import Acceptance, Alike, Emitted
from specsim.roofline.speculation.alpha import acceptance
from specsim.roofline.speculation.drafters import Drafter, drafter
from specsim.roofline.speculation.drafts import Draft, draft
from specsim.roofline.speculation.shape import Shape, shaped, whole
from specsim.roofline.step import Seconds
from specsim.roofline.work import Amount, Work

Times = tuple[Seconds, Seconds, Seconds, Seconds]

BLOCK = 1 << 14
"""Scenarios priced at a time: their arrays then stay in the processor's cache."""

DOUBT, SLACK = (0.6, 1.6), 0.1
"""What a step takes beyond a plain one is known to within these factors, and a tenth of
a plain step. The plain step itself is in both, kernels and host, and what is wrong with
it cancels. Of the published speed-ups 87 % lie between (`specsim validate`)."""


@dataclass(frozen=True)
class Speculation:
    """A speculative step and the plain one, in seconds; arrays where asked of arrays.

    carried: drafted tokens of a sequence that the verifying pass takes in.
    tokens:  that a sequence gains in a step, one of them the target's own.
    """

    draft: Draft
    acceptance: Acceptance
    shape: Shape
    carried: Amount
    batch: Amount
    context: Amount
    tokens: Amount
    plain_s: Seconds
    draft_s: Seconds
    verify_s: Seconds
    overhead_s: Seconds

    @property
    def tokens_std(self) -> Amount | None:
        """Standard deviation of a step's tokens; None if only their mean is known."""
        if isinstance(self.acceptance, Emitted):
            return None
        depth, parents = self.shape.depth, self.shape.parents
        return accepting.variance(self.acceptance, depth, parents) ** 0.5

    @property
    def step_s(self) -> Seconds:
        """A speculative step."""
        return self.draft_s + self.verify_s + self.overhead_s

    @property
    def token_s(self) -> Seconds:
        """Between two tokens of a sequence, on average."""
        return self.step_s / self.tokens

    @property
    def speedup(self) -> Amount:
        """Tokens per second, speculative over plain."""
        return self.tokens * self.plain_s / self.step_s

    @property
    def low(self) -> Amount:
        """Where most measured speed-ups begin, at these tokens a step."""
        return self._doubted(SLACK)

    @property
    def high(self) -> Amount:
        """Where most measured speed-ups end."""
        return self._doubted(-SLACK)

    def _doubted(self, slack: float) -> Amount:
        """At another price of what comes on top; never less than half a plain step."""
        beyond = (self.step_s - self.plain_s) / self.plain_s
        worst = np.maximum if slack > 0 else np.minimum
        step = 1 + slack + worst(*(each * beyond for each in DOUBT))
        return self.tokens / np.maximum(step, 0.5)

    @property
    def tokens_per_s(self) -> Amount:
        """Of all sequences together."""
        return self.batch * self.tokens / self.step_s

    def dollars(self, gpu_hour: float) -> Amount:
        """A million tokens, at that price of an hour of one GPU."""
        hours = 1e6 / self.tokens_per_s / 3600
        return self.draft.target.plan.gpus * gpu_hour * hours

    @property
    def held(self) -> Amount:
        """Tokens a sequence holds in the cache while it is verified."""
        return self.context + self.carried + 1

    @property
    def draft_cache_bytes(self) -> Amount:
        """KV cache of the draft, on all GPUs together."""
        return self.draft.cache_bytes(self.batch, self.held)

    @property
    def spare_bytes(self) -> Amount:
        """Memory left on all GPUs: for more cache; negative where it does not fit."""
        spare = fit.spare_bytes(self.draft.target, self.batch, self.held)
        return spare - self.draft.bytes - self.draft_cache_bytes

    @property
    def max_batch(self) -> Amount:
        """Sequences of this length that fit, draft included."""
        target, held = self.draft.target, self.held
        empty = fit.spare_bytes(target, 0, held)
        each = empty - fit.spare_bytes(target, 1, held)
        each = each + self.draft.cache_bytes(1, held)
        return np.maximum((empty - self.draft.bytes) // each, 0)


def speculate(
    deployment: Deployment,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    k: Any = None,
    tree: int | Sequence[int] | Shape | None = None,
    batch: Any = 1,
    context: Any = 2048,
) -> Speculation:
    """Price speculation; numbers or arrays of them, which broadcast.

    alpha: see `alpha.py`. k: tokens drafted; None: as many as usual for the drafter.
    tree:  nodes of the tree that emits most at this alpha, no deeper than k; or its
           parents, -1 the root, each before its children; or a shape. None: as usual
           for the drafter, 0: a chain.
    """
    row, given = drafter(name), acceptance(alpha)
    k, tree = row.k if k is None else k, row.nodes if tree is None else tree
    shape = shaped(k, tree, given)
    sizes = whole("batch", batch, 1), whole("context", context, 0)
    if row.paths > 1 and isinstance(given, Alike):
        given = accepting.Paths(given.alpha, row.paths)
    made = draft(deployment, row, draft_model, int(np.max(shape.depth)))
    emitted = accepting.tokens(given, shape.depth, shape.parents)
    carried = shape.nodes * row.paths + shape.depth * row.window
    amounts = shape.depth, shape.width, carried, *sizes
    _together(emitted, *amounts)
    times = _in_blocks(lambda *part: _times(made, shape.tree, *part), amounts)
    return Speculation(made, given, shape, carried, *sizes, emitted, *times)


def _together(*amounts: Amount) -> None:
    try:
        np.broadcast(*amounts)
    except ValueError:
        shapes = ", ".join(str(np.shape(each)) for each in amounts if np.ndim(each))
        raise Bad(f"arrays of shapes {shapes} do not broadcast") from None


def _in_blocks(of: Callable[..., Times], amounts: Sequence[Amount]) -> Times:
    """of(*amounts), a block of scenarios after the other."""
    form = np.broadcast(*amounts).shape
    if (size := math.prod(form)) <= BLOCK:
        return of(*amounts)
    flat = [
        np.broadcast_to(each, form).reshape(-1) if np.ndim(each) else each
        for each in amounts
    ]
    found = np.empty((4, size))
    for start in range(0, size, BLOCK):
        at = slice(start, start + BLOCK)
        parts = (each[at] if np.ndim(each) else each for each in flat)
        for row, seconds in zip(found, of(*parts), strict=True):
            row[at] = seconds
    plain, drafting, verifying, beside = found.reshape(4, *form)
    return plain, drafting, verifying, beside


def _times(
    made: Draft,
    tree: bool,
    depth: Amount,
    width: Amount,
    carried: Amount,
    batch: Amount,
    context: Amount,
) -> Times:
    """Plain step, draft, verification, overhead."""
    return (
        made.target.run(Work(batch, 1, context)).seconds,
        made.seconds(batch, depth, width, context),
        made.verifier(tree).run(Work(batch, carried + 1, context)).seconds,
        made.overhead(tree),
    )
