"""A target and its drafts, and the same weights on torch."""

from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch

from specsim import embedded, pretrained, seam
from specsim.generation.models import Models, Part, load
from specsim.generation.scene import Scene, pair, stage

NUMBERS = {"torch fp32": torch.float32, "torch bf16": torch.bfloat16}
NEW, K = 32, 4
"""Tokens of every text, whatever they are; levels of every draft."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Weights as they are stored, and networks made of them, on NumPy.

    draft: the stored draft model, if there is one.
    """

    name: str
    target: pretrained.Pretrained
    draft: pretrained.Pretrained | None
    models: Models

    def scene(self, drafter: str, prompt: str, temperature: float) -> Scene:
        """With its usual rule."""
        return stage(
            pair(drafter, None),
            prompt,
            target=self.models,
            k=K,
            max_new_tokens=NEW,
            temperature=temperature,
        )


@cache
def on_torch(subject: Subject, numbers: str) -> Models:
    """The target alone, in that number format."""
    build = partial(seam.gpu("model.alone").alone, dtype=NUMBERS[numbers])
    return replace(subject.models, target=build(*subject.target))


def subject(name: str, target: Path | None, parts: dict[Part, Path]) -> Subject:
    """The embedded models, or those in a folder with what was trained for them."""
    if target is None:
        folder = embedded.FOLDER
        stored = pretrained.load(folder / embedded.TARGET)
        draft = pretrained.load(folder / embedded.DRAFT)
        return Subject(name, stored, draft, _endless(load()))
    made = load(target)
    for part, file in parts.items():
        made = replace(made, **_fields(load(target, file, part=part), part))
    return Subject(name, pretrained.load(target), None, _endless(made))


def _fields(made: Models, part: Part) -> dict[str, Any]:
    names = ("heads", "tree") if part == "heads" else (part,)
    return {name: getattr(made, name) for name in names}


def _endless(made: Models) -> Models:
    """No token ends a text: all are of one length."""
    return replace(made, ends=frozenset())
