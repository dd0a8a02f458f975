"""Steps of real models, recorded: what each rule keeps of drafts that were really made.

A block is one step of the decode loop: a draft, the rows it was drawn from, and the
target's rows around it. Words that are rare in all rows of a block are one word there.
Recorded by `python -m tools.league.rows`; see data/rows/README.md.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from specsim import weights
from specsim.drafters import Drafter, named, unsound
from specsim.errors import Bad
from specsim.roofline.fields import short_path
from specsim.rules import Rule
from specsim.seam import proposal, randomness

FOLDER = Path(__file__).parent / "data" / "rows"
COINS = 16
"""How often a rule judges each block, each time with other luck."""
PARTS = "tokens", "parents", "p", "q"
CLOSE = 0.01
"""How far from 1 the sum of a row may be that was stored in fp16."""


@dataclass(frozen=True)
class Block:
    """Target's rows p (N + 1, W), the root's first, and what was drafted: N tokens."""

    p: Any
    drafted: proposal.Proposal


@dataclass(frozen=True)
class Recorded:
    """Blocks of one pair, and how they came about."""

    name: str
    model: str
    drafter: Drafter
    temperature: float
    blocks: list[Block]

    def as_dict(self) -> dict[str, Any]:
        """What it is of."""
        return {
            "name": self.name,
            "model": self.model,
            "drafter": self.drafter.name,
            "temperature": self.temperature,
            "blocks": len(self.blocks),
            "drafted": mean(len(block.drafted.tokens) for block in self.blocks),
        }

    def takes(self, rule: Rule) -> bool:
        """Whether the rule is sound for such drafts, and can do so many words."""
        words = max(block.p.shape[-1] for block in self.blocks)
        able = rule.most_words is None or words <= rule.most_words
        return able and not unsound(self.drafter, rule)


@cache
def recorded() -> tuple[Recorded, ...]:
    """All that ship."""
    return tuple(load(file) for file in sorted(FOLDER.glob("*.safetensors")))


def tokens_per_block(rule: Rule, of: Recorded, coins: int = COINS) -> float:
    """Tokens that the rule emits a block, on average over blocks and over its luck."""
    verify = rule.verify
    return mean(
        len(verify(block.p, block.drafted, randomness.keyed(0, number, luck)))
        for number, block in enumerate(of.blocks)
        for luck in range(coins)
    )


def load(file: Path) -> Recorded:
    """Blocks from a file; Bad, in one line, if it is not theirs."""
    stored, where = weights.read(file), short_path(file)
    try:
        said = stored.metadata
        drafter, count = named(said["drafter"]), int(said["blocks"])
        model, temperature = said["model"], float(said["temperature"])
    except (KeyError, ValueError):
        raise Bad(f"{where}: the header is not that of recorded rows") from None
    blocks = [
        _block(stored.arrays, number, drafter.kind, where) for number in range(count)
    ]
    if not blocks:
        raise Bad(f"{where}: no blocks")
    return Recorded(file.stem, model, drafter, temperature, blocks)


def _block(
    arrays: dict[str, Any], number: int, kind: proposal.Kind, where: object
) -> Block:
    """Block so-and-so of a file, its rows normalised."""
    names = PARTS if kind != "fixed" else PARTS[:-1]
    try:
        tokens, parents, p, *drawn = (arrays[f"{number}.{name}"] for name in names)
        p, *drawn = map(_normal, (p, *drawn))
    except (KeyError, ValueError):
        raise Bad(f"{where}: block {number} is not whole") from None
    q = drawn[0] if drawn else None
    made = proposal.Proposal(tokens.tolist(), parents.tolist(), q, kind)
    if not _fits(p, made):
        raise Bad(f"{where}: block {number} is no draft with its rows")
    return Block(p, made)


def _fits(p: Any, made: proposal.Proposal) -> bool:
    """Whether it is a tree, with rows for each node in which its token is possible."""
    count, words = len(made.tokens), p.shape[-1]
    below = [*enumerate(made.parents)]
    if p.shape != (count + 1, words) or len(below) != count:
        return False
    if any(type(parent) is not int or not -1 <= parent < i for i, parent in below):
        return False
    if any(type(t) is not int or not 0 <= t < words for t in made.tokens):
        return False
    q = made.q
    if q is None:
        return True
    return q.shape == (count, words) and all(q[range(count), made.tokens] > 0)


def _normal(rows: Any) -> Any:
    """Rows (n, W) that sum to 1; ValueError where they are none."""
    wide = np.asarray(rows, np.float64)
    if wide.ndim != 2 or not wide.size or (wide < 0).any():
        raise ValueError("no rows")
    total = wide.sum(-1, keepdims=True)
    if (abs(total - 1) > CLOSE).any():
        raise ValueError("rows that are not normalised")
    return wide / total
