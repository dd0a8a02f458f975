"""Right rules fed by drafters that do not draw from the q they declare: chains."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from specsim import seam
from specsim.oracle.planted import Wiring, half
from specsim.oracle.worlds import World
from specsim.seam import probs, proposal, randomness

staged = seam.reference("staged")


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


def overwritten_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Declared as the row that was divided in place by the noise of the draw."""
    return spoiled(world, source, lambda row: row / np.arange(1, len(row) + 1))


def unnormalised_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Declared as weights that do not sum to one."""
    return spoiled(world, source, lambda row: 3 * row)


def neighbours_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Declared as the rows of another request, whose text is a token longer."""
    drawn = proposal.draft(world.drafter, world.branching, source)
    return declared(world, drawn, lambda prefix: world.drafter((0, *prefix)))


def lookup_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """Looked up, and declared with a probability made up for it."""
    fixed = proposal.draft(world.drafter, world.branching, source, "fixed")
    tenths = np.array([Fraction(1, 10)] * world.vocab, dtype=object)
    return declared(world, fixed, lambda prefix: tenths)


def inner_draft(world: World, source: randomness.Source) -> proposal.Proposal:
    """What an inner stage said, declared as the rows of the drafter inside it."""

    def middle(prefix: tuple[int, ...]) -> probs.Probs:
        mean: probs.Probs = (world.target(prefix) + world.drafter(prefix)) / 2
        return mean

    def propose(said: tuple[int, ...], luck: randomness.Source) -> proposal.Proposal:
        return proposal.draft(staged.after(world.drafter, said), (1,), luck)

    verify = seam.reference("verify.chain").verify
    k = len(world.branching)
    return declared(world, staged.draft(middle, propose, verify, k, source))


def spoiled(
    world: World,
    source: randomness.Source,
    spoil: Callable[[probs.Probs], probs.Probs],
) -> proposal.Proposal:
    """Independent draws, declared as rows that something was done to afterwards."""
    drawn = proposal.draft(world.drafter, world.branching, source)
    return declared(world, drawn, lambda prefix: spoil(world.drafter(prefix)))


def declared(
    world: World, drawn: proposal.Proposal, rows: proposal.Rows | None = None
) -> proposal.Proposal:
    """The same tokens, said to be independent draws from `rows` (the drafter's own)."""
    rows = rows or world.drafter
    q = [rows(drawn.path(parent)) for parent in drawn.parents]
    return drawn._replace(q=np.array(q), kind="iid")


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
        ("huggingface/transformers#47932",),
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
        "overwritten-draft",
        "chain",
        overwritten_draft,
        "q divided in place by the noise of its draw, verified as it was left",
        "declared q",
        ("vllm-project/vllm#16952",),
    ),
    Wiring(
        "unnormalised-draft",
        "block",
        unnormalised_draft,
        "q verified as weights that sum to three",
        "declared q",
        ("NVIDIA/TensorRT-LLM#3125",),
    ),
    Wiring(
        "neighbours-draft",
        "chain",
        neighbours_draft,
        "q taken from another request's row of the batch",
        "declared q",
        ("vllm-project/vllm#41044",),
    ),
    Wiring(
        "made-up-probability",
        "chain",
        lookup_draft,
        "tokens looked up in the prompt, verified with q = 1/10",
        "declared q",
        ("openvinotoolkit/openvino.genai#2331",),
    ),
    Wiring(
        "inner-draft",
        "chain",
        inner_draft,
        "tokens of an inner stage, verified as drawn by the drafter inside it",
        "declared q",
    ),
]
