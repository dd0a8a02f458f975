"""Right rules fed by drafters that do not draw from the q they declare."""

import numpy as np

from specsim.oracle.planted import Wiring, half
from specsim.oracle.worlds import World
from specsim.seam import probs, proposal, randomness


def argmax_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """The likeliest tokens, declared as if they had been drawn from the soft row."""
    fixed = proposal.draft(world.drafter, world.branching, source, "fixed")
    return declared(world, fixed)


def top_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Drawn from the likelier half of the row, declared as the whole row."""

    def upper(prefix: tuple[int, ...]) -> probs.Probs:
        row = world.drafter(prefix)
        cut = np.sort(row)[len(row) // 2]
        return np.where(row >= cut, row, 0 * row)

    return declared(world, proposal.draft(upper, world.branching, source))


def cold_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Drawn at half the temperature that the declared row was computed at."""
    cold = proposal.draft(lambda s: world.drafter(s) ** 2, world.branching, source)
    return declared(world, cold)


def rounded_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Drawn from rows of 16-bit floats, declared as the rows they were rounded from."""
    drawn = proposal.draft(lambda s: half(world.drafter(s)), world.branching, source)
    return declared(world, drawn)


def stale_siblings(world: World, source: randomness.Source) -> proposal.Proposal:
    """Siblings without replacement, each declared as drawn from the untouched row."""
    kind: proposal.Kind = "without_replacement"
    return declared(world, proposal.draft(world.drafter, world.branching, source, kind))


def declared(world: World, drawn: proposal.Proposal) -> proposal.Proposal:
    """The same tokens, said to be independent draws from the drafter's own rows."""
    rows = [world.drafter(drawn.path(parent)) for parent in drawn.parents]
    return drawn._replace(q=np.array(rows), kind="iid")


WIRINGS = [
    Wiring(
        "argmax-draft",
        "chain",
        argmax_draft,
        "draft = argmax(q), verified as drawn from q",
        "declared q",
        ("huggingface/transformers#32867", "jaymody/speculative-sampling#3"),
    ),
    Wiring(
        "top-draft",
        "chain",
        top_draft,
        "draft from the likelier half of q, verified as drawn from all of q",
        "declared q",
    ),
    Wiring(
        "cold-draft",
        "block",
        cold_draft,
        "draft at half the temperature of the declared q",
        "declared q",
        ("z-lab/dflash#74",),
    ),
    Wiring(
        "rounded-draft",
        "chain",
        rounded_draft,
        "draft from 16-bit rows, verified with the rows they were rounded from",
        "declared q",
        ("deepseek-ai/DeepSpec#31",),
    ),
    Wiring(
        "argmax-tree",
        "recursive",
        argmax_draft,
        "top-k tree, verified as independent draws",
        "declared q",
        ("ggml-org/llama.cpp examples/speculative at 007d713",),
    ),
    Wiring(
        "stale-siblings",
        "recursive",
        stale_siblings,
        "siblings without replacement, verified with q not updated",
        "declared q",
    ),
]
