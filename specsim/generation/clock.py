"""What the time of a run goes to: drafting, passes of the target, everything else."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from specsim.seam import probs, proposal, randomness

now: Callable[[], float] = perf_counter
"""What runs are timed by, in seconds."""


@dataclass
class Seconds:
    """Of one run.

    prompt: until the first draft was begun; in none of the others.
    total:  of all steps. draft: the drafter's share. verify: passes of the target, and
            its rows made of their logits.
    """

    prompt: float = 0.0
    total: float = 0.0
    draft: float = 0.0
    verify: float = 0.0

    @property
    def overhead(self) -> float:
        """The rule, the coins and the loop."""
        return self.total - self.draft - self.verify

    @contextmanager
    def adding(self, name: str) -> Iterator[None]:
        """Add the time that the block takes."""
        start = now()
        try:
            yield
        finally:
            vars(self)[name] += now() - start

    def begun(self) -> None:
        """What was counted so far was the prompt's; `total` has not seen it yet."""
        self.prompt = self.draft + self.verify
        self.total, self.draft, self.verify = -self.prompt, 0.0, 0.0


class TimedModel:
    """A target whose passes are timed."""

    def __init__(self, model: Any, seconds: Seconds):
        self._model, self._seconds = model, seconds

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[probs.Probs, probs.Probs]:
        with self._seconds.adding("verify"):
            made: tuple[probs.Probs, probs.Probs] = self._model.extend(tokens, parents)
            return made

    def keep(self, path: Sequence[int]) -> None:
        with self._seconds.adding("verify"):
            self._model.keep(path)


class TimedDrafter:
    """A drafter that is timed. When it has begun, the prompt is done with."""

    def __init__(self, drafter: Any, seconds: Seconds):
        self._drafter, self._seconds = drafter, seconds

    def begin(self, context: Sequence[int], hidden: probs.Probs) -> None:
        with self._seconds.adding("draft"):
            self._drafter.begin(context, hidden)
        self._seconds.begun()

    def propose(
        self, context: Sequence[int], k: int, source: randomness.Source
    ) -> proposal.Proposal:
        with self._seconds.adding("draft"):
            made: proposal.Proposal = self._drafter.propose(context, k, source)
            return made

    def observe(
        self, emitted: list[int], rows: probs.Probs, hidden: probs.Probs
    ) -> None:
        with self._seconds.adding("draft"):
            self._drafter.observe(emitted, rows, hidden)
