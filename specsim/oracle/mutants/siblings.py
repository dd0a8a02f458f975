"""Right rules fed by drafters that do not draw from the q they declare: trees."""

import numpy as np

from specsim.oracle.mutants.wirings import argmax_draft, declared
from specsim.oracle.planted import Wiring
from specsim.oracle.worlds import World
from specsim.seam import probs, proposal, randomness

DISTINCT: proposal.Kind = "without_replacement"


def stale_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """Siblings without replacement, each declared as drawn from the untouched row."""
    return declared(world, distinct(world, source))


def unscaled_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """Siblings without replacement, whose rows lose what was drawn, not its mass."""
    drawn = distinct(world, source)
    return drawn._replace(q=remaining(world, drawn, scaled=False))


def cold_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """Siblings without replacement, at half the temperature of the declared rows."""
    shape = world.branching
    cold = proposal.draft(lambda s: world.drafter(s) ** 2, shape, source, DISTINCT)
    return cold._replace(q=remaining(world, cold))


def sorted_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """Siblings without replacement, declared as drawn in the order of their odds."""
    drawn = distinct(world, source)
    order = [-1]
    for node in order:
        row = world.drafter(drawn.path(node))
        odds = {i: -row[drawn.tokens[i]] for i in drawn.children(node)}
        order += sorted(odds, key=lambda i: (odds[i], drawn.tokens[i]))
    place = {node: i - 1 for i, node in enumerate(order)}
    tokens = [drawn.tokens[node] for node in order[1:]]
    parents = [place[drawn.parents[node]] for node in order[1:]]
    renamed = proposal.Proposal(tokens, parents, None, DISTINCT)
    return renamed._replace(q=remaining(world, renamed))


def top_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """The likeliest siblings, declared as drawn in that order without replacement."""
    fixed = proposal.draft(world.drafter, world.branching, source, "fixed")
    return fixed._replace(q=remaining(world, fixed), kind=DISTINCT)


def distinct(world: World, source: randomness.Source) -> proposal.Proposal:
    return proposal.draft(world.drafter, world.branching, source, DISTINCT)


def remaining(
    world: World, drawn: proposal.Proposal, scaled: bool = True
) -> probs.Probs:
    """The rows of draws without replacement, in the order the siblings have here."""
    rows = []
    for node, parent in enumerate(drawn.parents):
        row = world.drafter(drawn.path(parent))
        for sibling in drawn.children(parent):
            if sibling < node:
                row = probs.without(row, drawn.tokens[sibling])
        rows.append(row / row.sum() if scaled else row)
    return np.array(rows)


WIRINGS = [
    Wiring(
        "argmax-tree",
        "recursive",
        argmax_draft,
        "top-k tree, verified as independent draws",
        "declared q",
        ("ggml-org/llama.cpp examples/speculative at 007d713",),
    ),
    Wiring(
        "top-siblings",
        "recursive",
        top_siblings,
        "top-k tree, verified as draws without replacement",
        "declared q",
        ("apple/ml-recurrent-drafter#6",),
    ),
    Wiring(
        "stale-siblings",
        "recursive",
        stale_siblings,
        "siblings without replacement, verified with q not updated",
        "declared q",
    ),
    Wiring(
        "unscaled-siblings",
        "recursive",
        unscaled_siblings,
        "siblings without replacement, verified with q not rescaled",
        "declared q",
    ),
    Wiring(
        "cold-siblings",
        "recursive",
        cold_siblings,
        "siblings at half the temperature of the declared q",
        "declared q",
    ),
    Wiring(
        "sorted-siblings",
        "recursive",
        sorted_siblings,
        "siblings without replacement, put in the order of their odds",
        "chosen after drawing",
    ),
]
