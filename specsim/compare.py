"""How much the rules keep of a draft: expected tokens per step, computed exactly.

Two settings. Worked examples, small enough to redo by hand: rows that never change, and
two drafted tokens below each other. And random worlds: tables of rational rows that
change with the prefix, the drafter's mixed with the target's so that drafts become
better, under several budgets of drafted tokens. Beside them steps recorded of real
models, on which the mean is over the luck of the rule, drawn.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import perm, prod
from operator import mul
from typing import Any

import numpy as np

from specsim import recorded as recording
from specsim.errors import Bad
from specsim.oracle import exact
from specsim.oracle.worlds import Branching, World, nodes, pairs
from specsim.rules import CHAIN, RULES, Rule, Shape
from specsim.seam import proposal, table

Kind = proposal.Kind
Model = tuple[int, proposal.Rows, proposal.Rows]
"""Vocabulary, target and drafter."""

MIXES = Fraction(0), Fraction(1, 2), Fraction(3, 4)
"""The target's share in the drafter's rows, from poor drafts to good ones."""
CHAINS: tuple[Branching, ...] = (1,), (1, 1), (1, 1, 1)
TREES: tuple[Branching, ...] = (2,), (2, 1), (3, 1), (2, 2)
BUDGETS: dict[Shape, tuple[Branching, ...]]
BUDGETS = {"chain": CHAINS, "tree": TREES, "paths": TREES[:3]}
MOST = 81
"""Drafts in a world; fewer where races are read, as there are more ways to go."""


@cache
def examples() -> dict[str, Model]:
    """The worked examples: three words, the same with a perfect drafter, two words.

    p = (1/2, 1/3, 1/6) and q = (1/4, 1/4, 1/2); q = p; p = (1/3, 2/3) and
    q = (2/3, 1/3).
    """
    vocab, target, drafter = pairs()["three-tokens"]
    return {
        "three words": (vocab, target, drafter),
        "q = p": (vocab, target, target),
        "two words": pairs()["two-tokens"],
    }


def tokens_per_step(rule: Rule, world: World) -> Fraction:
    """What a step emits on average, kept tokens and the one after them.

    >>> from specsim.rules import named
    >>> tokens_per_step(named("chain"), World("", *examples()["three words"], (1, 1)))
    Fraction(19, 9)
    """
    law = exact.emitted(rule.verify, world)
    return sum((len(block) * odds for block, odds in law.items()), Fraction())


def worked_shape(rule: Rule) -> Branching:
    """Two tokens below each other, and where it takes trees two such paths."""
    return (1, 1) if rule.shape == CHAIN else (2, 1)


def worked(rule: Rule, kind: Kind, example: str) -> Fraction:
    """Tokens per step in a worked example."""
    made = World(example, *examples()[example], worked_shape(rule), kind)
    return tokens_per_step(rule, made)


def kinds(rule: Rule) -> tuple[Kind, ...]:
    """The kinds of draft that differ to the rule: an only child is drawn just so."""
    apart = ("fixed", "iid", "coupled") if rule.shape == CHAIN else proposal.KINDS
    return tuple(kind for kind in rule.kinds if kind in apart)


@dataclass(frozen=True)
class Line:
    """One rule on drafts of one kind.

    worked: tokens per step by example.
    random: mean tokens per step by budget, at each acceptance; a budget that takes too
            long is absent.
    recorded: mean tokens on each record of a real model's drafts that it takes, by
            name.
    """

    rule: Rule
    kind: Kind
    worked: dict[str, Fraction]
    random: dict[Branching, list[float]]
    recorded: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule.name,
            "kind": self.kind,
            "lossy": self.rule.lossy,
            "worst_tv": self.rule.bias,
            "worked_shape": shape_name(worked_shape(self.rule)),
            "worked": {name: str(value) for name, value in self.worked.items()},
            "random": {
                shape_name(shape): means for shape, means in self.random.items()
            },
            "recorded": self.recorded,
        }


@dataclass(frozen=True)
class Comparison:
    """Every rule on every kind of draft that it accepts.

    acceptance: sum of min(p, q) at the first token, mean over the worlds, by mix.
    """

    vocab: int
    worlds: int
    seed: int
    acceptance: list[float]
    lines: list[Line]

    def as_dict(self) -> dict[str, Any]:
        """What `specsim list rules --compare --json` prints."""
        return {
            "vocab": self.vocab,
            "worlds": self.worlds,
            "seed": self.seed,
            "acceptance": self.acceptance,
            "recorded": [each.as_dict() for each in recording.recorded()],
            "lines": [line.as_dict() for line in self.lines],
        }


def compare(vocab: int = 3, worlds: int = 5, seed: int = 0) -> Comparison:
    """All rules in the worked examples and in `worlds` random worlds of `vocab` words.

    Bad where a number is out of range.
    """
    _check("vocab", vocab, 2, 8)
    _check("worlds", worlds, 0, 1000)
    _check("seed", seed, 0, 2**32 - 1)
    models = [
        [random_model(seed, n, vocab, mix) for n in range(worlds)] for mix in MIXES
    ]
    levels = models if worlds else []
    lines = [
        _line(rule, kind, vocab, levels)
        for rule in RULES.values()
        for kind in kinds(rule)
    ]
    acceptance = [_mean(map(overlap, level)) for level in levels]
    return Comparison(vocab, worlds, seed, acceptance, lines)


def _line(rule: Rule, kind: Kind, vocab: int, levels: list[list[Model]]) -> Line:
    def mean(shape: Branching, level: list[Model]) -> float:
        return _mean(
            tokens_per_step(rule, World("random", *model, shape, kind))
            for model in level
        )

    shapes = affordable(rule, kind, vocab) if levels else []
    return Line(
        rule,
        kind,
        {name: worked(rule, kind, name) for name in examples()},
        {shape: [mean(shape, level) for level in levels] for shape in shapes},
        {
            each.name: recording.tokens_per_block(rule, each)
            for each in recording.recorded()
            if each.drafter.kind == kind and each.takes(rule)
        },
    )


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise Bad(f"{name} {value}: give a whole number, {least} to {most}")


def random_model(seed: int, n: int, vocab: int, mix: Fraction) -> Model:
    """World n of the seed: two tables, the drafter's mixed with the target's."""
    one, other = map(int, np.random.SeedSequence([seed, n]).generate_state(2))
    target, apart = table.table(one, vocab), table.table(other, vocab)

    @cache
    def drafter(prefix: tuple[int, ...]) -> Any:
        return (1 - mix) * apart(prefix) + mix * target(prefix)

    return vocab, target, drafter


def overlap(model: Model) -> Fraction:
    """Sum of min(p, q) at the first token: how often one sampled draft is kept."""
    _, target, drafter = model
    return Fraction(np.minimum(target(()), drafter(())).sum())


def affordable(rule: Rule, kind: Kind, vocab: int) -> list[Branching]:
    """The budgets whose drafts are few enough to go through them all."""
    most = MOST // max(1, rule.races) ** 2
    return [
        shape for shape in BUDGETS[rule.shape] if drafts(shape, kind, vocab) <= most
    ]


def drafts(shape: Branching, kind: Kind, vocab: int) -> int:
    """How many drafts of the kind there can be.

    >>> [drafts((2, 1), kind, 3) for kind in proposal.KINDS]
    [1, 81, 54, 18, 81]
    """
    ways: dict[Kind, Callable[[int], int]] = {
        "fixed": lambda width: 1,
        "without_replacement": lambda width: perm(vocab, min(width, vocab)),
        "hub": lambda width: max(1, vocab - width + 1),
    }
    if kind not in ways:
        return int(vocab ** nodes(shape))
    parents = accumulate((1, *shape), mul)
    counts = zip(shape, parents, strict=False)
    return prod(ways[kind](width) ** count for width, count in counts)


def _mean(values: Iterator[Fraction]) -> float:
    return float(np.mean([float(value) for value in values]))


def shape_name(shape: Branching) -> str:
    return "x".join(map(str, shape))


def draft_name(kind: Kind) -> str:
    """A kind of draft in a few letters."""
    return "WOR" if kind == "without_replacement" else kind
