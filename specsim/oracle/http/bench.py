"""What a check has to work with: the servers, the reference, how much may be asked."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.oracle.divergence import TOLERANCE, distance
from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.reference import Reference
from specsim.oracle.http.server import Server
from specsim.oracle.sampling import derived

LETTERS = range(3, 16)
"""Ids that are in every vocabulary and, but for the first three, seldom special."""
TOPS = 20
MOST = 0.5
"""Nats that are put down to numerics at most."""


@dataclass(frozen=True)
class Scale:
    """How much is asked.

    prompts, repeats: of the fixed-prompt tests; repeats of each prompt, by round.
    rounds:  so many at most. stream: tokens of the stream test. texts: texts compared.
    pairs:   requests whose acceptance is looked at twice.
    timeout: seconds after which a request is said to stall.
    """

    prompts: int
    repeats: int
    rounds: int
    stream: int
    texts: int
    pairs: int
    timeout: float


SCALES = {
    "smoke": Scale(4, 16, 4, 600, 2, 48, 10.0),
    "quick": Scale(16, 16, 8, 6_000, 6, 64, 30.0),
    "full": Scale(64, 32, 16, 20_000, 16, 256, 60.0),
    "nightly": Scale(64, 64, 64, 200_000, 32, 1024, 600.0),
}


@dataclass(frozen=True)
class Found:
    """What a check found: a verdict of a tier, and why."""

    verdict: str
    detail: str
    tried: int
    log10_e: float | None = None


def passed(detail: str, tried: int) -> Found:
    """Nothing is wrong with what was tried."""
    return Found("not_rejected", detail, tried)


def failed(detail: str, tried: int) -> Found:
    """The server did what no right one does."""
    return Found("rejected", detail, tried)


@dataclass
class Bench:
    """`server` is judged; `plain` is the same without speculation."""

    server: Server
    plain: Server | None
    reference: Reference | None
    scale: Scale
    seed: int
    hurdle: float
    early: dict[Ask, tuple[int, int]] = field(default_factory=dict)

    def prompts(self, count: int, name: str) -> list[tuple[int, ...]]:
        """Short prompts, the same each time for the same name."""
        rng = np.random.default_rng(derived(self.seed, name))
        made = rng.choice(LETTERS, (count, 5))
        return [tuple(map(int, row)) for row in made]

    @cached_property
    def common(self) -> list[int]:
        """The tokens it says most, likeliest first."""
        asks = [Ask(p, 16, count=4) for p in self.prompts(4, "common")]
        said = [t for replies in self.server.each(asks) for r in replies for t in r.ids]
        found, counts = np.unique(said, return_counts=True)
        return [int(found[i]) for i in np.argsort(-counts, kind="stable")]

    @cached_property
    def replays(self) -> bool:
        """Whether the same seed gives the same tokens, one request after the other."""
        if "seed" not in self.server.offers:
            return False
        return all(
            self.server.one(ask).text == self.server.one(ask).text
            for ask in (Ask(p, 16, seed=7) for p in self.prompts(3, "replays"))
        )

    def steady(self, number: int) -> dict[str, Any]:
        """Parameters under which an answer repeats itself; different by number, if it
        can be.
        """
        return {"seed": number} if self.replays else {"temperature": 0.0}

    @cached_property
    def noise(self) -> float:
        """Nats by which the server's own logprobs of single tokens, of which none is
        drafted, differ at most: asked alone, and with others in the batch.
        """
        server = self.plain or self.server
        if not {"tops", "ids"} <= server.offers:
            return 0.0
        asks = [Ask(prompt, 1, top=TOPS) for prompt in self.prompts(8, "noise")]
        alone, together = [server.one(ask) for ask in asks], server.ones(asks)
        rows = [(row(a), row(b)) for a, b in zip(alone, together, strict=True) if a.ids]
        return max((2 * distance(a, b) for a, b in rows if len(a) > 1), default=0.0)

    @property
    def near(self) -> float:
        """Nats by which numerics may move a logit between one token and a block: a
        server that is broken must not widen what it is allowed.
        """
        return min(MOST, max(TOLERANCE, 4 * self.noise))

    def counted(self, ask: Ask) -> tuple[Reply, int, int]:
        """The answer, asked alone, and how many tokens were drafted and accepted."""
        before = self.server.counts()
        reply = self.server.one(ask)
        after = self.server.counts()
        if before is None or after is None:
            return reply, reply.drafted or 0, reply.accepted or 0
        drafted = after.drafted - before.drafted
        return reply, drafted, after.accepted - before.accepted


def row(reply: Reply, where: int = 0) -> dict[int, float]:
    """The likeliest tokens at a position. Bad: the server did not tell them."""
    if reply.tops is None or len(reply.tops) <= where:
        raise Bad("the server told the likeliest tokens before, and now it does not")
    return reply.tops[where]
