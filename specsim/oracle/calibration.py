"""Many sampled checks of a right engine at once: how often does evidence reach what?

Ville's inequality promises P(sup E >= 1 / a) <= a. Here whole checks are run side by
side as arrays, on counts of blocks that a right rule emits, with the bets, worlds and
rounds of a real check (sampling.py): python -m specsim.oracle.calibration RUNS BLOCKS.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim.oracle import diagnosis, exact, fixtures
from specsim.oracle.evidence import (
    CONCENTRATIONS,
    LN10,
    Array,
    log_bet,
    log_dirichlet,
    log_mean,
    stakes,
)
from specsim.oracle.exact import Law, Tokens, conditionals
from specsim.oracle.sampling import ROUND, suspects
from specsim.oracle.worlds import World
from specsim.rules import RULES

HURDLES = 10, 100, 1_000, 10_000


class Arena:
    """One world: blocks with their odds, and what each adds to counts and bets.

    cells: (blocks, contexts, V), how often a block has a token after a prefix.
    bets:  (blocks, mutants), log of what a mutant's bets pay on a block.
    """

    def __init__(self, world: World, law: Law, mutants: Sequence[Any]):
        self.odds = np.array([*map(float, law.values())])
        self.odds /= self.odds.sum()
        prefixes = [*conditionals(law)]
        self.p = np.array([world.truth(s).astype(float) for s in prefixes])
        self.cells = np.zeros((len(law), *self.p.shape))
        for b, block in enumerate(law):
            for i, token in enumerate(block):
                self.cells[b, prefixes.index(block[:i]), token] = 1
        logs = np.zeros((*self.p.shape, len(mutants)))
        for m, mutant in enumerate(mutants):
            self._bet(
                logs[:, :, m],
                conditionals(diagnosis.law(mutant, world) or {}),
                prefixes,
            )
        self.bets = np.tensordot(self.cells, logs, 2)

    def _bet(self, logs: Array, rows: Any, prefixes: list[Tokens]) -> None:
        for c, prefix in enumerate(prefixes):
            if f := rows.get(prefix):
                logs[c] = log_bet(f, self.p[c])


def right(world: World) -> Law:
    """What the rule of chains emits."""
    return exact.emitted(RULES["chain"].verify, world)


def highest(
    runs: int, blocks: int, seed: int = 0, law: Callable[[World], Law] = right
) -> Array:
    """The largest log10 E of each of `runs` checks of an engine with that law."""
    rng = np.random.default_rng(seed)
    worlds = fixtures.cover("verify")
    mutants = suspects(worlds, False)
    arenas = [Arena(world, law(world), mutants) for world in worlds]
    counts: list[Array] = [np.zeros((runs, *arena.p.shape)) for arena in arenas]
    by_case = np.zeros((len(arenas), runs))
    general = np.zeros((len(arenas), runs, len(CONCENTRATIONS)))
    made = np.zeros((runs, len(mutants)))
    best = np.zeros(runs)
    for turn in range(-(-blocks // ROUND)):
        w = turn % len(arenas)
        drawn = rng.multinomial(ROUND, arenas[w].odds, runs).astype(float)
        made += drawn @ arenas[w].bets
        counts[w] += np.tensordot(drawn, arenas[w].cells, 1)
        by_case[w], general[w] = unknown(counts[w], arenas[w].p)
        best = np.maximum(best, valued(made, by_case, general))
    return best


def unknown(counts: Array, p: Array) -> tuple[Array, Array]:
    """What bets on unknown rows made in a world: (runs,), (runs, concentrations)."""
    runs, contexts, vocab = counts.shape
    rows = np.broadcast_to(p, counts.shape).reshape(-1, vocab)
    logs = log_dirichlet(counts.reshape(-1, vocab), rows).reshape(runs, contexts, -1)
    return log_mean(logs, axis=2).sum(1), logs.sum(1)


def valued(made: Array, by_case: Array, general: Array) -> Array:
    """log10 E of each run, as Evidence has it."""
    logs = np.column_stack([made, log_mean(by_case), log_mean(general.sum(0), axis=1)])
    staked = np.log(stakes(made.shape[1]))
    return np.asarray(np.logaddexp.reduce(logs + staked, axis=1) / LN10)


def shares(best: Array) -> NDArray[np.float64]:
    """Of the runs, those that reached each of HURDLES."""
    return np.array([(best >= np.log10(hurdle)).mean() for hurdle in HURDLES])


def main() -> None:
    runs, blocks = map(int, sys.argv[1:])
    for hurdle, share in zip(HURDLES, shares(highest(runs, blocks)), strict=True):
        print(f"P(sup E >= {hurdle}) = {share:.5f}, at most {1 / hurdle}")


if __name__ == "__main__":
    main()
