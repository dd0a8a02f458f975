"""Worlds: a target, a drafter and a shape of draft, small enough to enumerate.

Every entry of every row is a Fraction. Rows change with the prefix wherever that can
show a fault (a wrong row, a stale parent); zeros, disjoint supports, ties and equal
laws are all there, since faults hide where a world is too kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from specsim.rules import Rule, Shape
from specsim.seam import proposal, randomness, table

Branching = tuple[int, ...]
CHAINS: tuple[Branching, ...] = (1,), (1, 1), (1, 1, 1)
TREES: tuple[Branching, ...] = (1, 1), (2,), (3,), (2, 1), (2, 2)
PATHS: tuple[Branching, ...] = (1, 1), (2,), (3,), (2, 1), (3, 1), (2, 1, 1)
SHAPES: dict[Shape, tuple[Branching, ...]]
SHAPES = {"chain": CHAINS, "tree": TREES, "paths": PATHS}
MOST, FEW, SMALL = 64, 9, 16
"""Drafts in a world that is judged by default; where the draft is coupled and the rule
reads no race, so that it cannot matter; and in a world that is one of many.
"""


@dataclass(frozen=True)
class World:
    """One question with a known answer: does the block keep the target's law here?

    branching: children per node, depth by depth; a chain is all ones.
    greedy:    the law to keep is the target's at temperature 0.
    """

    name: str
    vocab: int
    target: proposal.Rows
    drafter: proposal.Rows
    branching: Branching
    kind: proposal.Kind = "iid"
    greedy: bool = False

    @property
    def truth(self) -> proposal.Rows:
        return table.argmax(self.target) if self.greedy else self.target

    def draft(self, source: randomness.Source) -> proposal.Proposal:
        return proposal.draft(self.drafter, self.branching, source, self.kind)

    def __str__(self) -> str:
        shape = "x".join(map(str, self.branching))
        return f"{self.name}/{self.kind}/{shape}"


@cache
def pairs() -> dict[str, tuple[int, proposal.Rows, proposal.Rows]]:
    """Vocabulary, target and drafter by name, the plainest first."""
    c, t = table.constant, table.table
    tilt = Fraction(1, 2**24)
    flat = np.array([Fraction(1, 3)] * 3, dtype=object)
    near = flat + np.array([tilt, -tilt, Fraction(0)], dtype=object)
    return {
        "two-tokens": (2, c([1, 2]), c([2, 1])),
        "three-tokens": (3, c([3, 2, 1]), c([1, 1, 2])),
        "turning": (2, c([1, 3], [3, 1], [1, 1]), c([1, 1], [1, 2], [2, 1])),
        "certain-target": (3, c([0, 1, 0], [1, 0, 0]), c([1, 1, 1])),
        "certain-draft": (3, c([1, 2, 1], [2, 1, 1]), c([0, 0, 1], [0, 1, 0])),
        "disjoint": (3, c([1, 2, 0], [0, 1, 1]), c([0, 0, 1], [1, 0, 0])),
        "equal": (3, t(1, 3), t(1, 3)),
        "near-tie": (3, lambda prefix: near, lambda prefix: flat),
        "tiny": (2, c([1, 2**30 - 1], [1, 1]), c([1, 2**30 - 1], [2**30 - 1, 1])),
        **{f"table-{seed}": (3, t(seed, 3), t(seed + 100, 3)) for seed in range(4)},
        "narrow-table": (2, t(7, 2), t(107, 2)),
        "wide-table": (4, t(8, 4), t(108, 4)),
    }


def worlds(rule: Rule, full: bool = False) -> Iterator[World]:
    """The worlds a rule is judged on: every pair, every kind it accepts, every shape.

    Unless `full`, the large ones are left out so that the whole suite fits seconds;
    sooner where a rule reads several races and so has several times as many ways to go.
    """
    for kind in rule.accepts:
        most = MOST // max(1, rule.races) ** 2 if kind in rule.kinds else FEW
        for world in _all(SHAPES[rule.shape], kind, rule.greedy):
            if full or world.vocab ** nodes(world.branching) <= most:
                yield world


def generated(rule: Rule, count: int) -> Iterator[World]:
    """`count` worlds of random rows for each kind of draft the rule can tell apart."""
    for kind in rule.kinds:
        for seed in range(count):
            vocab = 2 + seed % 2
            shapes = [s for s in SHAPES[rule.shape] if vocab ** nodes(s) <= SMALL]
            shape = shapes[seed % len(shapes)]
            target, drafter = (
                table.table(salt + seed, vocab) for salt in (10_000, 20_000)
            )
            name = f"random-{seed}"
            yield World(name, vocab, target, drafter, shape, kind, rule.greedy)


def chains() -> Iterator[World]:
    """Every world that is a chain of independent draws."""
    return _all(CHAINS, "iid", False)


def _all(
    shapes: tuple[Branching, ...], kind: proposal.Kind, greedy: bool
) -> Iterator[World]:
    for branching in shapes:
        for name, (vocab, target, drafter) in pairs().items():
            yield World(name, vocab, target, drafter, branching, kind, greedy)


def nodes(branching: Branching) -> int:
    """How many tokens a full tree drafts.

    >>> nodes((2, 2))
    6
    """
    return int(sum(np.cumprod(branching)))
