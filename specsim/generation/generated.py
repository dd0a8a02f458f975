"""A text, how it was drafted, and how much faster that was than plain decoding."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from specsim.generation.run import Run
from specsim.generation.scene import Listener, Scene, pair, stage
from specsim.generation.timing import Timed


@dataclass(frozen=True)
class Generated:
    """What was run, and what came of it.

    timed: the same again, side by side with plain decoding.
    """

    scene: Scene
    run: Run
    timed: Timed

    @property
    def tokens(self) -> list[int]:
        """Without the prompt."""
        return self.run.tokens

    @property
    def text(self) -> str:
        """Without the prompt, and without the stop string that may have ended it."""
        return self.run.text

    @property
    def tokens_per_step(self) -> float:
        """Tokens a pass of the target emitted."""
        rate: float = self.run.tally.tokens_per_step
        return rate

    @property
    def acceptance(self) -> list[float]:
        """By depth: how often a token was kept when all before it were."""
        rates: list[float] = self.run.tally.acceptance
        return rates

    @property
    def speedup(self) -> float:
        """Of the steps, over plain decoding of as many tokens; the prompt left out."""
        return self.timed.speedup

    def as_dict(self) -> dict[str, Any]:
        """What `specsim generate --json` writes."""
        run, seconds = self.run, self.timed.seconds
        counts = "steps", "drafted", "accepted", "bonus", "truncated"
        return {
            "target": self.scene.models.name,
            "drafter": self.scene.drafter.name,
            "rule": self.scene.rule.name,
            "k": self.scene.request.k,
            "seed": self.scene.request.seed,
            "prompt": [*self.scene.request.prompt],
            "tokens": self.tokens,
            "text": self.text,
            "end": run.end,
            "origins": [each.origin for each in run.emitted],
            "logprobs": [_number(each.logprob) for each in run.emitted],
            "tokens_per_step": self.tokens_per_step,
            "acceptance": self.acceptance,
            **{name: getattr(run.tally, name) for name in counts},
            "seconds": seconds.total,
            "draft_seconds": seconds.draft,
            "verify_seconds": seconds.verify,
            "overhead_seconds": seconds.overhead,
            "prompt_seconds": seconds.prompt,
            "plain_seconds": self.timed.plain_seconds,
            "rounds": len(self.timed.runs),
            "speedup": self.speedup,
        }


def generate(
    prompt: str | Iterable[int] | None = None,
    *,
    drafter: str = "draft-model",
    rule: str | None = None,
    listener: Listener | None = None,
    **asked: Any,
) -> Generated:
    """Decode with a drafter and a rule, and without: text, acceptance, speed-up.

    prompt:   text or token ids; None: the model's own.
    rule:     None: the usual one for the drafter.
    listener: told of each token as it comes.
    asked:    target, draft_model, k, max_new_tokens, seed, stop, backend, temperature,
              top_k ... as of `stage`.

    Bad, in one line, for whatever is wrong with them.
    """
    return generated(stage(pair(drafter, rule), prompt, **asked), listener)


def generated(scene: Scene, listener: Listener | None = None) -> Generated:
    """Run it, then time it."""
    run = scene.speculative(listener)
    return Generated(scene, run, scene.timed(len(run.tokens)))


def _number(value: float) -> float | None:
    """As JSON has it."""
    return value if isfinite(value) else None
