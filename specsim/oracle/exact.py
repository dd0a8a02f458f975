"""The exact law of what a rule emits, against the target's."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from specsim.oracle.worlds import World
from specsim.rules import Losslessness, Verify
from specsim.seam import proposal, randomness

Tokens = tuple[int, ...]
Law = dict[Tokens, Fraction]


class Drafted(NamedTuple):
    """One draft, its odds, and the law of the block that the rule makes of it."""

    tokens: Tokens
    odds: Fraction
    block: Law


def drafts(verify: Verify, world: World) -> Iterator[Drafted]:
    """Every draft there is, each with the exact law of what is emitted given it."""
    for proposed, odds in randomness.branches(world.draft):
        p = proposal.score(world.target, proposed)

        def run(
            source: randomness.Source, p: object = p, given: object = proposed
        ) -> Tokens:
            return tuple(verify(p, given, source))  # type: ignore[arg-type]

        yield Drafted(tuple(proposed.tokens), odds, randomness.law(run))


def mixed(drafted: Iterator[Drafted] | list[Drafted]) -> Law:
    """The law of the emitted block, averaged over the drafts."""
    law: Law = defaultdict(Fraction)
    for _, odds, block in drafted:
        for tokens, share in block.items():
            law[tokens] += odds * share
    return dict(law)


def emitted(verify: Verify, world: World) -> Law:
    """The exact law of one step's block, of 1 to depth + 1 tokens."""
    return mixed(drafts(verify, world))


def completed(law: Law, target: proposal.Rows, length: int) -> Law:
    """Shorter blocks continued by the target, longer ones cut; no branching."""
    done: Law = defaultdict(Fraction)
    pending = list(law.items())
    while pending:
        block, odds = pending.pop()
        if len(block) >= length:
            done[block[:length]] += odds
        else:
            row = target(block)
            pending += [((*block, x), odds * w) for x, w in enumerate(row) if w]
    return dict(done)


def distance(a: Law, b: Law) -> Fraction:
    """Total variation."""
    gaps = (abs(a.get(k, Fraction()) - b.get(k, Fraction())) for k in a | b)
    return sum(gaps, Fraction()) / 2


def bias(
    verify: Verify, world: World, losslessness: Losslessness = "marginal"
) -> Fraction:
    """Total variation between what is emitted, completed, and the target's own law.

    Where each fixed draft must keep the law (pathwise, conditional) the worst draft
    counts, otherwise the average over the draft's own law.
    """
    length = len(world.branching) + 1
    truth = completed({(): Fraction(1)}, world.target, length)

    def gap(law: Law) -> Fraction:
        return distance(completed(law, world.target, length), truth)

    if losslessness in ("pathwise", "conditional"):
        return max(gap(drafted.block) for drafted in drafts(verify, world))
    return gap(emitted(verify, world))
