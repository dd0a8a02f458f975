"""Tokens a step of every draft on prompts out of files that were held out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from specsim import embedded, pretrained, seam
from specsim.generation.models import Models
from specsim.generation.scene import pair, stage
from specsim.tokens import END, Tokenizer

LEAST, PROMPT, NEW, K = 4096, 96, 64, 4
"""Bytes of a file that a prompt is taken from; tokens of it, and after it; levels."""
GREEDY, WARM = 0.0, 1.0
DRAFTERS = "draft-model", "medusa", "eagle", "eagle2", "mtp", "prompt-lookup"


class Measured(NamedTuple):
    """Tokens a step, and acceptance by depth, over all prompts."""

    drafter: str
    rule: str
    temperature: float
    tokens_per_step: float
    acceptance: list[float]


def prompts(files: Iterable[Path], words: Tokenizer) -> list[list[int]]:
    """From each long file the tokens before a line near its middle."""
    texts = [file.read_bytes() for file in files]
    halves = [
        text[: text.index(b"\n", len(text) // 2)]
        for text in texts
        if len(text) >= LEAST
    ]
    return [words.encode(half)[-PROMPT:] for half in halves]


def measure(folder: Path, alone: Path, asked: list[list[int]]) -> Iterator[Measured]:
    """Every drafter at both temperatures; the draft model before it was taught too."""
    models = _models(folder)
    network = seam.reference("model.transformer").Transformer
    before = replace(models, draft=network(*pretrained.load(alone)))
    for temperature in (GREEDY, WARM):
        yield _measured("draft-model", before, asked, temperature)._replace(
            drafter="draft-model, not distilled"
        )
        for drafter in DRAFTERS:
            yield _measured(drafter, models, asked, temperature)


def _measured(
    drafter: str, models: Models, asked: list[list[int]], temperature: float
) -> Measured:
    pairing = pair(drafter, None if temperature else "greedy")
    steps, emitted = 0, 0
    reached, kept = [0] * K, [0] * K
    for prompt in asked:
        scene = stage(
            pairing,
            prompt,
            target=models,
            k=K,
            max_new_tokens=NEW,
            temperature=temperature,
        )
        tally = scene.speculative().tally
        steps, emitted = steps + tally.steps, emitted + tally.emitted
        for d in range(K):
            reached[d] += tally.reached[d]
            kept[d] += tally.kept[d]
    rates = [k / r for k, r in zip(kept, reached, strict=True) if r]
    return Measured(drafter, pairing[1].name, temperature, emitted / steps, rates)


def _models(folder: Path) -> Models:
    made = embedded.load(folder=folder)
    return Models(
        name="embedded",
        target=made.target,
        vocab=made.target.config.vocab,
        words=made.tokenizer,
        ends=frozenset({END}),
        draft=made.draft,
        heads=made.heads.rows,
        tree=made.tree,
        eagle=made.eagle,
        mtp=made.mtp,
    )
