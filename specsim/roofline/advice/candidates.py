"""What could draft for a model: its text, smaller relatives, heads made for it.

data/heads.csv names the EAGLE-3 heads that engines' own documents list, and the models
that come with multi-token-prediction layers; each row has its source.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from specsim.roofline import catalog
from specsim.roofline.catalog import Model

SMALLEST = 4
"""A draft has at most one fourth of the target's active parameters."""
PADDED = 0.01
"""Vocabularies of one family are padded to lengths that differ by less."""


@dataclass(frozen=True)
class Candidate:
    """A drafter for one model.

    draft: the model that drafts, where it is a whole one.
    head:  hub id of a head trained for the target; None: none is needed, or known.
    known: whether it is to be had; a head would else have to be trained.
    """

    drafter: str
    draft: Model | None = None
    head: str | None = None
    known: bool = True

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.drafter} {self.draft.name}" if self.draft else self.drafter


def candidates(model: Model) -> Iterator[Candidate]:
    """All of them; each is one that every engine in `configurations` has words for."""
    yield Candidate("prompt-lookup")
    heads = _heads()
    if (model.hf_id, "mtp") in heads:
        yield Candidate("mtp")
    head = heads.get((model.hf_id, "eagle3"))
    yield Candidate("eagle3", head=head, known=head is not None)
    for draft in relatives(model):
        yield Candidate("draft-model", draft, draft.hf_id)


def relatives(model: Model) -> list[Model]:
    """Smaller models of the same family and vocabulary, smallest first."""
    found = [
        row
        for row in catalog.models()
        if row.family == model.family
        and abs(row.vocab - model.vocab) <= PADDED * model.vocab
        and row.params_total * SMALLEST <= model.params_active
    ]
    return sorted(found, key=lambda row: row.params_total)


@cache
def _heads() -> dict[tuple[str, str], str]:
    place = files("specsim") / "data" / "heads.csv"
    with place.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {(row["target"], row["drafter"]): row["head"] for row in rows}
