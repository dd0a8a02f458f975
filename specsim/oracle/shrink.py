"""A failing world made plainer, row by row, while it still fails."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from specsim.oracle.worlds import World
from specsim.seam import probs, proposal, table

TRIES = 120
"""Worlds asked before what was found so far is good enough."""


def shrunk(world: World, fails: Callable[[World], bool]) -> World:
    """The world with as many rows as possible one-hot or two equal halves."""
    best, tries, plainer = frozen(world), 0, True
    while plainer and tries < TRIES:
        plainer = False
        for simpler in simplifications(best):
            tried = simpler(best)
            if tried is None or tries == TRIES:
                continue
            tries += 1
            if fails(tried):
                best, plainer = tried, True
    return best


def frozen(world: World) -> World:
    """The same world with its rows written out, as far as a block can reach."""
    depth = len(world.branching)
    return replace(
        world,
        target=written(world, world.target, depth + 1),
        drafter=written(world, world.drafter, depth),
    )


def written(world: World, rows: proposal.Rows, depth: int) -> proposal.Rows:
    prefixes = itertools.chain.from_iterable(
        itertools.product(range(world.vocab), repeat=n) for n in range(depth)
    )
    return {prefix: rows(prefix) for prefix in prefixes}.__getitem__


def simplifications(world: World) -> Iterator[Callable[[World], World | None]]:
    """Every row of the target and the drafter, against every plainer row."""
    depth = len(world.branching)
    plain = [table.row(w) for w in plainest(world.vocab)]
    for n in range(depth + 1):
        for side in ("target", "drafter") if n < depth else ("target",):
            for prefix in itertools.product(range(world.vocab), repeat=n):
                for row in plain:
                    yield swap(side, prefix, row)


def swap(
    side: str, prefix: tuple[int, ...], row: probs.Probs
) -> Callable[[World], World | None]:
    """One row replaced; None where the row there is as plain already."""

    def apply(world: World) -> World | None:
        rows: proposal.Rows = getattr(world, side)
        if weight(rows(prefix)) <= weight(row):
            return None

        def changed(s: tuple[int, ...]) -> probs.Probs:
            return row if s == prefix else rows(s)

        if side == "target":
            return replace(world, target=changed)
        return replace(world, drafter=changed)

    return apply


def plainest(vocab: int) -> Iterator[list[int]]:
    """Weights of one-hot rows, then of two halves."""
    yield from np.eye(vocab, dtype=int).tolist()
    for pair in itertools.combinations(range(vocab), 2):
        yield [int(x in pair) for x in range(vocab)]


def weight(row: probs.Probs) -> int:
    """How much there is to read in a row."""
    return sum(1 + w.denominator for w in row if w)
