"""The stages, each of which writes one file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specsim import embedded, pretrained, tokens
from specsim.pretrained import Pretrained
from specsim.roofline.fields import Fields
from specsim.tokens import Tokenizer
from specsim.training import Options, Report, data, shapes
from specsim.training.fit import fit

WORDS = 1024
DRAFT_ALONE = "draft_alone.safetensors"
TARGET = {"steps": 3200, "rate": 3e-3}
ALONE = {"steps": 1500, "rate": 3e-3, "shape": shapes.DRAFT}
"""The draft model before it is taught: it foretells text, as the target does."""
STAGES: dict[str, dict[str, Any]] = {
    "draft": {"steps": 2400, "rate": 3e-3, "sampled": 300_000},
    "medusa": {"steps": 1000, "rate": 5e-3, "heads": 4},
    "eagle": {"steps": 1600, "rate": 3e-3},
    "mtp": {"steps": 1600, "rate": 3e-3},
}


def tokenizer(texts: list[str], file: Path) -> Tokenizer:
    """The commonest pairs of the texts, learnt once."""
    if not file.exists():
        tokens.learn("\0".join(texts).encode(), WORDS).save(file)
    return tokens.load(file)


def build(texts: list[str], output: Path, scratch: Path) -> Iterator[Report]:
    """Every stage, from nothing or from where it was broken off."""
    words = tokenizer(texts, output / tokens.FILE)
    ids = data.tokens(texts, words)

    def stage(kind: str, whom: Pretrained, file: Path, **options: Any) -> Report:
        return fit(kind, whom, ids, file, Options(**options), resume=True)

    given = Fields(output, shapes.TARGET | {"vocab_size": words.size})
    shape = Pretrained(pretrained.config(given), {})
    yield stage("target", shape, output / embedded.TARGET, **TARGET)
    whom = pretrained.load(output / embedded.TARGET)
    alone = scratch / DRAFT_ALONE
    yield stage("target", shape, alone, **ALONE)
    for kind, options in STAGES.items():
        start = {"start": str(alone)} if kind == "draft" else {}
        file = output / f"{kind}.safetensors"
        yield stage(kind, whom, file, **options, **start)
