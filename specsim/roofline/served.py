"""The steady state of a server: how long to a request's first token, and to each next.

A closed loop: `batch` users each send a prompt of isl tokens, wait for osl tokens, and
send the next one. What differs from one forward pass:

- prefills of the others take their part of every pass while a request decodes;
- what the memory cannot hold waits for a place;
- all users start at once, and of `rounds` requests each the first finds the queue full.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline import costs, fit, shapes, step
from specsim.roofline.constants import Spread
from specsim.roofline.deployment import Deployment, Pass
from specsim.roofline.formats import FORMATS
from specsim.roofline.step import Seconds
from specsim.roofline.work import Amount, Work

FIRST = Spread(0.75, 2.0)
"""Most measured first tokens come between so many times the expected time: 84 % of the
rows shipped (`specsim validate`); load tests differ in much that no row says."""


@dataclass(frozen=True)
class Load:
    """What is asked of a server; arrays allowed, and they broadcast.

    rounds: requests each of the `batch` users sends in turn, infinite if the start does
        not matter; load tests send 10.
    apart:  whether other GPUs do the prefill.
    drafts, accepted: tokens a pass verifies beside its own, drafted by a layer of the
        model's own (MTP), and how many of them it keeps on average.
    held:   passes for which the server is told to hold a request back on average: to
        look at its queue less often, or to fill a batch.
    """

    batch: Amount
    isl: Amount
    osl: Amount
    rounds: float = 10.0
    apart: Any = False
    drafts: Amount = 0
    accepted: Amount = 0.0
    held: Amount = 0.0

    def __post_init__(self) -> None:
        for name in ("batch", "isl", "osl", "rounds"):
            value = getattr(self, name)
            if not np.all(np.asarray(value, float) >= 1):
                raise Bad(f"{name} {value}: give at least 1")
        kept = np.asarray(self.accepted, float)
        if not np.all((kept >= 0) & (kept <= self.drafts)):
            raise Bad(f"accepted {self.accepted}: give 0 to drafts, {self.drafts}")


@dataclass(frozen=True)
class Passes:
    """The passes a load is made of.

    running: requests that decode together. decode, first: a pass of them, and one of a
    prompt of each replica. added_s: seconds by which a prompt prolongs the former.
    drafting_s: seconds of drafts for one pass.
    """

    running: Amount
    decode: Pass
    first: Pass
    added_s: Seconds
    drafting_s: Seconds


@dataclass(frozen=True)
class Served:
    """Seconds to the first token and per token after it; arrays where amounts are.

    running:  requests that hold a place in memory; of more the others queue.
    decode_s: of a token's time, the pass that only decodes.
    own_s:    of the first token's time, the prefill of its prompt.
    queue_s:  of the first token's time, waiting behind other requests.
    """

    load: Load
    running: Amount
    decode_s: Seconds
    tpot_s: Seconds
    tpot_low_s: Seconds
    tpot_high_s: Seconds
    own_s: Seconds
    queue_s: Seconds
    ttft_s: Seconds

    @property
    def prefill_s(self) -> Seconds:
        """What other requests' prefills add to a token's time."""
        return self.tpot_s - self.decode_s

    @property
    def ttft_low_s(self) -> Seconds:
        """Before most measured first tokens."""
        return FIRST.low * self.ttft_s

    @property
    def ttft_high_s(self) -> Seconds:
        """After most measured first tokens."""
        return FIRST.high * self.ttft_s

    @property
    def tokens_per_s(self) -> Amount:
        """Generated tokens of all users together."""
        load = self.load
        cycle = self.ttft_s + (load.osl - 1) * self.tpot_s
        return load.batch * load.osl / cycle


def served(
    deployment: Deployment,
    batch: Amount,
    isl: Amount,
    osl: Amount,
    *,
    rounds: float = 10.0,
    apart: Any = False,
    drafts: Amount = 0,
    accepted: Amount = 0.0,
    held: Amount = 0.0,
) -> Served:
    """A server that holds `batch` requests of isl prompt and osl generated tokens.

    See `Load` for the amounts; Bad on any below 1. The cache is stored as the
    deployment's numbers say; see `as_engines_store`.
    """
    load = Load(batch, isl, osl, rounds, apart, drafts, accepted, held)
    return assembled(deployment, load, passes(deployment, load))


def passes(deployment: Deployment, load: Load) -> Passes:
    """The passes of a load on a deployment."""
    running = np.minimum(load.batch, seats(deployment, load.isl, load.osl))
    context = load.isl + load.osl / 2
    decoding = Work(running, 1 + load.drafts, context)
    prompts = Work(deployment.plan.dp, load.isl, 0, logits=1)
    decode, first = deployment.run(decoding), deployment.run(prompts)
    both = deployment.run(decoding, prompts)
    added = (both.kernels_s - decode.kernels_s) / deployment.plan.dp
    drafting = 0.0 * decode.kernels_s
    if np.any(load.drafts):
        drafting = load.drafts * _layer_s(deployment.run(Work(running, 1, context)))
    return Passes(running, decode, first, np.where(load.apart, 0.0, added), drafting)


def assembled(deployment: Deployment, load: Load, made: Passes) -> Served:
    """Times of a load from those of its passes and its engine's habits."""
    intake, spread = deployment.engine.intake, deployment.spread
    own = np.maximum(made.first.kernels_s, _launched(deployment))
    others = (made.running - 1) * made.added_s
    decode, tokens = made.decode, 1 + np.asarray(load.accepted)
    low, expected, high = (
        _pass_s(seconds + factor * made.drafting_s, factor * others, turns, own)
        for turns in [load.osl / tokens]
        for seconds, factor in (
            (decode.low_s, spread.low),
            (decode.seconds, 1.0),
            (decode.high_s, spread.high),
        )
    )
    ahead = (made.running - 1) / (2 * load.rounds)
    queue = ahead * (made.added_s + 1e-3 * intake.ahead_ms)
    queue = queue + (load.batch / made.running - 1) * load.osl / tokens * expected
    waits = intake.steps + load.held
    waits = waits + (intake.gather if deployment.plan.dp > 1 else 0.0)
    ttft = _request_s(deployment, load.isl) + own + waits * expected + queue
    return Served(
        load,
        made.running,
        decode.seconds / tokens,
        expected / tokens,
        low / tokens,
        high / tokens,
        own,
        queue,
        ttft,
    )


def seats(deployment: Deployment, isl: Amount, osl: Amount) -> Amount:
    """Requests whose cache fits beside the weights, at least one.

    Half-way through its tokens on average, or to its last one where the engine reserves
    that much from the start.
    """
    intake, plan, gpu = deployment.engine.intake, deployment.plan, deployment.gpu
    left = intake.memory * gpu.mem_gb * fit.GIB - fit.held_bytes(deployment)
    room = intake.kept * (left - 1e9 * intake.spare_gb)
    context = isl + osl * (1.0 if intake.whole else 0.5)
    kv, model = deployment.numbers.kv, deployment.model
    each = costs.cache_bytes(model, plan.dp, context, plan, kv) / plan.dp
    return np.maximum(room / each, 1.0)


def as_engines_store(deployment: Deployment) -> Deployment:
    """The same, its cache in 8 bits where its engine takes that for such weights."""
    narrow = deployment.numbers.experts.bytes <= 1
    family = step.family(deployment.gpu).name
    if not narrow or family not in deployment.engine.intake.narrow_kv:
        return deployment
    return replace(deployment, numbers=replace(deployment.numbers, kv=FORMATS["fp8"]))


def _layer_s(one: Pass) -> Seconds:
    """Seconds of a pass through one more layer and the head."""
    head = sum(each.seconds for each in one.timed if each.op.name == "head")
    return head + (one.kernels_s - head) / one.deployment.model.layers


def _pass_s(pass_s: Seconds, others_s: Seconds, turns: Amount, own: Seconds) -> Seconds:
    """Seconds per pass of a request whose passes hold the prefills of others.

    others_s: seconds all other requests' prefills take once. A request decodes for
    D = turns * t of a cycle of D + its own prefill and as much waiting, and meets that
    part of them: turns * t = turns * pass_s + others_s * D / (D + 1.5 * own).
    """
    idle = 1.5 * own
    linear = turns * pass_s + others_s - idle
    return (linear + np.sqrt(linear**2 + 4 * turns * pass_s * idle)) / (2 * turns)


def _launched(deployment: Deployment) -> float:
    """Seconds the host takes to launch the kernels of a prefill, one by one."""
    model, intake = deployment.model, deployment.engine.intake
    each = intake.layer_ms * (intake.latent if shapes.is_mla(model) else 1)
    return 1e-3 * each * model.layers


def _request_s(deployment: Deployment, isl: Amount) -> Amount:
    """Seconds a request of so long a prompt spends outside passes."""
    intake = deployment.engine.intake
    more = intake.family_ms.get(step.family(deployment.gpu).name, 0.0)
    return 1e-3 * (intake.request_ms + more) + 1e-6 * intake.token_us * isl
