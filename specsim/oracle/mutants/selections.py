"""Right rules and honest drafters, with a choice between them that looks at tokens."""

from fractions import Fraction

import numpy as np

from specsim.oracle.mutants.wirings import declared
from specsim.oracle.planted import Wiring
from specsim.oracle.worlds import World
from specsim.seam import probs, proposal, randomness

LIKELY = Fraction(1, 2)


def without_unlikely(world: World, source: randomness.Source) -> proposal.Proposal:
    """Only the tokens before the first whose own probability is low."""
    drawn = proposal.draft(world.drafter, world.branching, source)
    odds = zip(drawn.tokens, drawn.drawn_from, strict=True)
    return before(drawn, [row[x] < LIKELY for x, row in odds])


def within_budget(world: World, source: randomness.Source) -> proposal.Proposal:
    """As many tokens as there are confident rows, those of later positions included."""
    drawn = proposal.draft(world.drafter, world.branching, source)
    budget = sum(max(row) >= LIKELY for row in drawn.drawn_from)
    return before(drawn, [i >= budget for i in range(len(drawn.tokens))])


def foreign_dropped(world: World, source: randomness.Source) -> proposal.Proposal:
    """Only the tokens before the first that the target has no word for."""
    drawn = proposal.draft(world.drafter, world.branching, source)
    return before(drawn, [foreign(world, x) for x in drawn.tokens])


def foreign_replaced(world: World, source: randomness.Source) -> proposal.Proposal:
    """Tokens that the target has no word for, made others; declared as never drawn."""
    tokens: list[int] = []
    for i in range(len(world.branching)):
        drawn = source.draft(i, world.drafter(tuple(tokens)))
        tokens.append(0 if foreign(world, drawn) else drawn)
    parents = [*range(-1, len(tokens) - 1)]
    chain = proposal.Proposal(tokens, parents, None)
    return declared(world, chain, lambda s: native(world, s) / native(world, s).sum())


def foreign_unscaled(world: World, source: randomness.Source) -> proposal.Proposal:
    """Drawn among the words of both, declared as the row with the others set to 0."""

    def common(prefix: tuple[int, ...]) -> probs.Probs:
        return native(world, prefix)

    return declared(world, proposal.draft(common, world.branching, source), common)


def foreign(world: World, token: int) -> bool:
    """Let the last word be one that the two vocabularies do not share."""
    return token == world.vocab - 1


def native(world: World, prefix: tuple[int, ...]) -> probs.Probs:
    return probs.without(world.drafter(prefix), world.vocab - 1)


def before(drawn: proposal.Proposal, stops: list[bool]) -> proposal.Proposal:
    """The chain up to the first position that stops it, which is left out."""
    kept = int(np.argmax([*stops, True]))
    q = drawn.drawn_from[:kept]
    return proposal.Proposal(drawn.tokens[:kept], drawn.parents[:kept], q, drawn.kind)


WIRINGS = [
    Wiring(
        "unlikely-dropped",
        "chain",
        without_unlikely,
        "tokens of low probability dropped once they are drawn, with all after them",
        "chosen after drawing",
    ),
    Wiring(
        "budget-of-later-rows",
        "chain",
        within_budget,
        "as many tokens verified as this step has confident rows",
        "chosen after drawing",
    ),
    Wiring(
        "foreign-words-dropped",
        "block",
        foreign_dropped,
        "tokens outside the target's vocabulary dropped once they are drawn",
        "chosen after drawing",
    ),
    Wiring(
        "foreign-words-replaced",
        "chain",
        foreign_replaced,
        "tokens outside the target's vocabulary replaced, q restricted to the others",
        "chosen after drawing",
    ),
    Wiring(
        "foreign-words-unscaled",
        "chain",
        foreign_unscaled,
        "q restricted to the words of both vocabularies, verified without rescaling",
        "declared q",
    ),
]
