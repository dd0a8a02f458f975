"""An engine whose law cannot be computed: blocks are drawn, evidence is gathered."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from specsim.oracle import cases, diagnosis, fixtures, planning
from specsim.oracle.declared import held
from specsim.oracle.engines.host import Host
from specsim.oracle.evidence import Evidence
from specsim.oracle.planted import Mutant
from specsim.oracle.worlds import World
from specsim.rules import Rule

BLOCKS = {"smoke": 2_000, "quick": 20_000, "full": 200_000, "nightly": 2_000_000}
SECONDS = {"smoke": 3.0, "quick": 6.0, "full": 120.0, "nightly": 3600.0}
"""Most blocks, and most seconds, by budget."""
ROUND = 125
"""Blocks drawn from one world before the next has its turn."""
CASES = 8
"""Worlds that share the blocks."""
POINTS = 200
"""Of an evidence path, which is to be looked at."""


@dataclass(frozen=True)
class Sampled:
    """The evidence after `blocks` blocks.

    uncovered: mutants that a whole budget would find, but not what was drawn of it.
    beyond:    mutants that no such budget finds.
    path:      blocks drawn, and log10 E then, round by round.
    """

    evidence: Evidence
    worlds: list[World]
    mutants: list[Mutant]
    blocks: int
    uncovered: list[str]
    beyond: list[str]
    path: list[tuple[int, float]]

    def thinned(self, most: float) -> tuple[tuple[int, float], ...]:
        """The path, made fit to be looked at."""
        return thinned(self.path, most)


def thinned(
    path: Sequence[tuple[int, float]], most: float
) -> tuple[tuple[int, float], ...]:
    """A path in at most POINTS points, its last among them, cut off at `most`."""
    step = -(-len(path) // POINTS)
    kept = path[::-1][::step][::-1]
    return tuple((n, round(min(log10_e, most), 3)) for n, log10_e in kept)


def sample(
    engine: Host,
    operation: str,
    mode: str,
    budget: str,
    seed: int,
    false_alarm: float,
    also: Sequence[World] = (),
    rule: Rule | None = None,
) -> Sampled:
    """Draw until the engine is refuted or the budget ends.

    also: worlds to draw in besides the usual ones.
    rule: the lossy one whose law the engine declares.
    """
    worlds = [*held(arena(engine, operation), rule), *also]
    mutants = suspects(worlds, operation == "verify_tree")
    laws = {m.name: [diagnosis.law(m, world) for world in worlds] for m in mutants}
    targets = [world.truth for world in worlds]
    planned = planning.plan(targets, laws, false_alarm)
    evidence = Evidence(targets, laws)
    deadline = time.monotonic() + SECONDS[budget]
    drawn, path = 0, list[tuple[int, float]]()
    for turn, blocks in rounds(engine, worlds, operation, mode, seed):
        evidence.observe(turn % len(worlds), blocks)
        drawn += len(blocks)
        path.append((drawn, evidence.valued()))
        done = drawn >= BLOCKS[budget] or time.monotonic() > deadline
        if done or evidence.log10_e >= -np.log10(false_alarm):
            break
    beyond = planning.uncovered(planned, BLOCKS[budget])
    short = [m for m in planning.uncovered(planned, drawn) if m not in beyond]
    return Sampled(evidence, worlds, mutants, drawn, short, beyond, path)


def arena(engine: Host, operation: str) -> list[World]:
    """The worlds to draw in: of two levels, so that the second token counts too.

    Of chains, and of independent siblings, those in which planted bugs show most.
    """
    kinds = tuple(engine.hello()["kinds"])
    if operation == "verify" or kinds == ("iid",):
        return fixtures.cover(operation)
    every = cases.trees(kinds=kinds)
    drawn = [world for world in every if world.kind != "fixed"]
    return [world for world in drawn if len(world.branching) == 2][:CASES]


def suspects(worlds: list[World], tree: bool) -> list[Mutant]:
    """The mutants that can be asked in every one of the worlds."""
    first, *others = (
        {mutant.name: mutant for mutant in diagnosis.candidates(world, tree)}
        for world in worlds
    )
    return [m for name, m in first.items() if all(name in other for other in others)]


def rounds(
    engine: Host,
    worlds: list[World],
    operation: str,
    mode: str,
    seed: int,
    count: int = ROUND,
) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
    """So many blocks of one world, then of the next, for ever; each round has a seed
    of its own.
    """
    asked = [cases.calls(world, operation) for world in worlds]
    turn = 0
    while True:
        calls, odds = asked[turn % len(worlds)]
        rng = np.random.default_rng(derived(seed, engine.spec, turn))
        which = rng.choice(len(calls), count, p=np.array(odds, dtype=float))
        own = int(rng.integers(2**63))
        yield turn, engine.blocks(calls, which.tolist(), own, mode)
        turn += 1


def derived(seed: int, *names: object) -> int:
    """A seed that depends on all the names and on nothing else."""
    text = "\0".join(map(str, (seed, *names)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
