"""Chains whose rows are multiples of 1/64, on which float64 is exact."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from specsim.oracle import exact
from specsim.oracle.worlds import World
from specsim.rules import RULES, Rule
from specsim.seam import probs, proposal, randomness
from tests.oracle.readings.foreign import Rows


def dyadic(seed: int, vocab: int) -> proposal.Rows:
    """A language model: each prefix has a row of positive multiples of 1/64."""

    def row(prefix: tuple[int, ...]) -> probs.Probs:
        rng = np.random.default_rng([seed, *prefix])
        cuts = np.sort(rng.choice(np.arange(1, 64), vocab - 1, replace=False))
        weights = np.diff([0, *cuts, 64]).tolist()
        return np.array([Fraction(w, 64) for w in weights], dtype=object)

    return row


def chain(vocab: int, k: int, seed: int = 1) -> World:
    return World("dyadic", vocab, dyadic(seed, vocab), dyadic(-~seed, vocab), (1,) * k)


class Case(NamedTuple):
    """One draft as an engine sees it, and the exact law of the rule's own block."""

    p: Rows
    q: Rows
    tokens: list[int]
    want: exact.Law


def cases(world: World, rule: Rule = RULES["chain"]) -> Iterator[Case]:
    blocks = {d.tokens: d.block for d in exact.drafts(rule.verify, world)}
    for drafted, _ in randomness.branches(world.draft):
        p = proposal.score(world.target, drafted).astype(float)
        q = drafted.drawn_from.astype(float)
        yield Case(p, q, drafted.tokens, blocks[tuple(drafted.tokens)])
