"""What a training run may be told beside its data."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from specsim.errors import Bad

KINDS = "draft", "medusa", "eagle", "mtp", "target"
DIVERGENCES = "forward-kl", "reverse-kl", "jsd", "total-variation", "acceptance"
LEAST = {
    "steps": 1,
    "rate": 1e-12,
    "seed": 0,
    "length": 8,
    "batch": 1,
    "temperature": 1e-3,
    "sampled": 0,
    "heads": 1,
    "vocabulary": 0,
    "cross_entropy": 0,
}


@dataclass(frozen=True)
class Options:
    """What settles how a run ends.

    steps:       of the optimiser.
    rate:        the highest learning rate.
    seed:        of all luck.
    length:      tokens of a window.
    batch:       windows of a step.
    shape:       of a model made from nothing: fields of a config.json.
    start:       a draft model to go on from, instead.
    divergence:  from the target's rows to the draft's.
    temperature: of both, when a draft model is taught.
    sampled:     tokens that the target writes itself; every second step is on those.
    heads:       how many, of Medusa.
    joint:       whether the target is trained with them (Medusa-2).
    cross_entropy: of EAGLE: what it counts, where the distance of features counts 1.
    vocabulary:  how many words EAGLE or Medusa drafts, the commonest of the text; 0:
                 all that the target has.
    remember:    whether what the target reads of a window is kept, in half precision,
                 and not read again in later epochs; windows are then the same in each.
    """

    steps: int
    rate: float
    seed: int = 0
    length: int = 256
    batch: int = 4
    shape: Mapping[str, Any] | None = None
    start: str | Path | None = None
    divergence: str = "forward-kl"
    temperature: float = 1.0
    sampled: int = 0
    heads: int = 4
    joint: bool = False
    cross_entropy: float = 0.1
    vocabulary: int = 0
    remember: bool = False

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            if not least <= (value := getattr(self, name)) < inf:
                raise Bad(f"{name} is {value}; give at least {least:g}")
        if self.divergence not in DIVERGENCES:
            known = ", ".join(DIVERGENCES)
            raise Bad(f"no divergence is called {self.divergence!r}: choose {known}")
        if self.joint and self.remember:
            raise Bad(
                "joint: the target learns, so what it read is not to be remembered"
            )
