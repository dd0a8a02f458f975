"""What a program does with a whole request: are blocks mixed up, are seeds honoured?"""

import time
from collections.abc import Iterator, Sequence

import numpy as np

from specsim.oracle import cases
from specsim.oracle.engines.contract import Block
from specsim.oracle.engines.problems import Failed, Skipped
from specsim.oracle.report import Tier
from specsim.oracle.wire.messages import Case
from specsim.oracle.wire.program import ProgramEngine, drawn_case

WORLDS, DRAFTS, BLOCKS = 8, 4, 3
"""Worlds, drafts of each and blocks of each draft that are asked together."""
SECONDS = 1.0
"""Seconds after which a slow engine is asked for no more of them."""


def compare(engine: ProgramEngine, operation: str, seed: int) -> list[Tier]:
    """The same coins alone, in a batch, and in the reversed batch: one block each.

    Batches mix vocabularies and lengths. No tier where the engine fails or skips,
    which is told where laws are read.
    """
    start = time.monotonic()
    asked, alone = [], list[Block]()
    try:
        for case in mixture(engine, operation, seed):
            asked.append(case)
            alone += [engine.run([single])[0] for single in singles(case)]
            if time.monotonic() - start > SECONDS:
                break
    except (Failed, Skipped):
        return []
    wrong = [*departures(engine, asked, alone)]
    detail = f"{len(alone)} blocks asked alone, in a batch and in its reverse"
    detail += f": {len(wrong)} differ, first {wrong[0]}" if wrong else ""
    verdict = "rejected" if wrong else "exact"
    seconds = round(time.monotonic() - start, 3)
    return [Tier(f"{operation}/coins/batch", verdict, detail, seconds, WORLDS)]


def departures(
    engine: ProgramEngine, asked: Sequence[Case], alone: Sequence[Block]
) -> Iterator[str]:
    """What becomes of blocks in a batch and in its reverse, where that is not the
    same.
    """
    back = [flipped(case) for case in reversed(asked)]
    for batch, wanted in (asked, alone), (back, alone[::-1]):
        try:
            found = engine.run(batch)
        except Failed as how:
            yield f"{list(wanted[0])} alone, in a batch it {how}"
            continue
        for want, got in zip(wanted, found, strict=True):
            if got != want:
                yield f"{list(want)} alone, {list(got)} in a batch"


def replayed(engine: ProgramEngine, operation: str, seed: int) -> list[str]:
    """A note where the same request, seed and all, is answered in two ways."""
    asked = mixture(engine, operation, seed)
    try:
        same = engine.run(asked, seed) == engine.run(asked, seed)
    except (Failed, Skipped):
        return []
    return [] if same else ["seeds are not honoured: one request had two answers"]


def mixture(engine: ProgramEngine, operation: str, seed: int) -> list[Case]:
    """A few drafts of each of a few worlds, with real coins."""
    rng = np.random.default_rng(seed)
    kinds = tuple(engine.hello()["kinds"])
    every = cases.chains() if operation == "verify" else cases.trees(kinds=kinds)
    worlds = [world for world in every if len(world.branching) > 1][:WORLDS]
    made = [
        drawn_case(call, BLOCKS, rng)
        for world in worlds
        for call in cases.calls(world, operation)[0][:DRAFTS]
    ]
    return [made[i] for i in rng.permutation(len(made))]


def singles(case: Case) -> Sequence[Case]:
    """Each block of a case as a case of its own."""
    pairs = zip(case.accept, case.sample, strict=True)
    return [Case(case.call, [accept], [sample], 1) for accept, sample in pairs]


def flipped(case: Case) -> Case:
    """The blocks of a case in the reverse order."""
    return Case(case.call, case.accept[::-1], case.sample[::-1], case.count)
