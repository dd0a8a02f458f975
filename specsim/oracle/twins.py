"""Do the batched rules give the blocks that the golden vectors ask for?"""

from collections.abc import Iterator
from typing import Any

from specsim import seam
from specsim.oracle import vectors
from specsim.oracle.vectors import Vector
from specsim.rules import Rule

FORMATS = {"float64": 53, "float32": 24, "bfloat16": 8}
"""What rows are handed over in, by the name torch has for it, and its significand."""


def disagreements(rule: Rule, device: str = "cpu") -> list[str]:
    """Where the rule's twin departs from its vectors, a line each.

    All vectors of one vocabulary go in as one ragged batch, in each format that holds
    what they ask; so neighbours of every length and shape are tried at once.
    """
    found = []
    for name, bits in FORMATS.items():
        for batch in _batches(rule, bits):
            blocks = emitted(rule, batch, name, device)
            for vector, block in zip(batch, blocks, strict=True):
                if not vectors.legal(vector, block):
                    found.append(
                        f"{rule.name}: {vector.id} in {name}: {block}, not "
                        f"{' or '.join(str([*right]) for right in vector.blocks)}"
                    )
    return found


def _batches(rule: Rule, bits: int) -> Iterator[list[Vector]]:
    """The vectors that come out right in so many bits, by vocabulary and having a q."""
    sorts: dict[tuple[int, bool], list[Vector]] = {}
    for vector in vectors.load(rule.name):
        if vector.bits <= bits:
            key = vector.vocab, vector.draft is None
            sorts.setdefault(key, []).append(vector)
    yield from sorts.values()


def emitted(
    rule: Rule, batch: list[Vector], dtype: str = "float64", device: str = "cpu"
) -> list[list[int]]:
    """The twin's blocks for vectors of one vocabulary, as one batch.

    Coins stay in float32 where rows are narrower: engines draw them so.
    """
    import torch

    layout: Any = seam.gpu("layout")
    rows, proposals = zip(*(v.given(float) for v in batch), strict=True)
    packed = layout.pack(rows, proposals, getattr(torch, dtype), device)
    wide = torch.float64 if dtype == "float64" else torch.float32

    def coins(name: str, count: int) -> Any:
        made = torch.zeros(len(batch), count, dtype=wide)
        for b, vector in enumerate(batch):
            values = [float(u) for u in getattr(vector, name)]
            made[b, : len(values)] = torch.tensor(values, dtype=wide)
        return made.to(device)

    accept, sample = (
        coins("accept", packed.tokens.shape[1]),
        coins("sample", packed.p.shape[1]),
    )
    race = None
    if rule.races:
        race = torch.ones(*packed.p.shape[:2], rule.races * packed.p.shape[2]).to(wide)
        for b, vector in enumerate(batch):
            times = vector.luck(float)[2]
            race[b, : len(times)] = torch.tensor(times, dtype=wide)
        race = race.to(device)
    blocks: list[list[int]] = layout.unpack(*rule.twin(*packed, accept, sample, race))
    return blocks
