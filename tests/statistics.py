"""Two tests of blocks against a known law, each of which knows its own power.

LEVEL is how often a right rule fails by chance, POWER how often a wrong one is
rejected, given as many blocks as `needed` says.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.power import GofChisquarePower

from reference.proposal import Rows
from specsim.oracle.exact import Law, completed

LEVEL = 1e-3
POWER = 0.999
LEAST, MOST = 1000, 5000
EXPECTED = 30
"""Blocks that a cell of the chi-square must expect: then its size is near LEVEL."""
SLIGHT = 0.01
"""Effects below this need far more than MOST blocks."""

Block = tuple[int, ...]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judge:
    """Blocks of `length` tokens, judged against the law of a target.

    target: its rows, without zeros.
    """

    target: Rows
    length: int

    @cached_property
    def truth(self) -> Law:
        return completed({(): Fraction(1)}, self.target, self.length)

    def needed(self, wrong: Law) -> float:
        """How many blocks reject the law `wrong` with POWER; infinite above MOST."""
        raise NotImplementedError

    def p_value(self, blocks: list[Block], rng: np.random.Generator) -> float:
        raise NotImplementedError


class ChiSquare(Judge):
    """Pearson's chi-square on the counts of whole blocks."""

    def needed(self, wrong: Law) -> float:
        blocks, needed = 0, float(LEAST)
        while blocks < needed <= MOST:
            blocks = math.ceil(needed)
            needed = self._needed(wrong, self.cells(blocks))
        return blocks if needed <= MOST else math.inf

    def _needed(self, wrong: Law, cells: dict[Block, int]) -> float:
        p, other = pooled(self.truth, cells), pooled(wrong, cells)
        effect = math.sqrt(((other - p) ** 2 / p).sum())
        if effect < SLIGHT:
            return math.inf
        solve = GofChisquarePower().solve_power
        return float(solve(effect, n_bins=len(p), alpha=LEVEL, power=POWER))

    def p_value(self, blocks: list[Block], rng: np.random.Generator) -> float:
        cells = self.cells(len(blocks))
        expected = pooled(self.truth, cells) * len(blocks)
        counts = np.bincount([cells[b] for b in blocks], minlength=len(expected))
        return float(stats.chisquare(counts, expected).pvalue)

    def cells(self, blocks: int) -> dict[Block, int]:
        """A cell for each outcome; rare ones share one, until it expects EXPECTED."""
        cells: dict[Block, int] = {}
        cell, expected = 0, 0.0
        for outcome, odds in sorted(self.truth.items(), key=lambda item: item[1]):
            cells[outcome] = cell
            expected += blocks * float(odds)
            if expected >= EXPECTED:
                cell, expected = cell + 1, 0.0
        return cells


class Smirnov(Judge):
    """Kolmogorov and Smirnov's test on the randomised probability integral transform.

    Each token is judged given the tokens before it, so that rows may change.
    """

    def needed(self, wrong: Law) -> float:
        """
        The gap between the CDFs is known. Under `wrong` the average over n blocks is
        within sqrt(log(1 / (1 - POWER)) / 2n) of its own with probability POWER
        (Hoeffding: blocks are independent, their tokens need not be). The test rejects
        a gap of sqrt(log(2 / LEVEL) / (2 * length * n)) or more (Dvoretzky, Kiefer and
        Wolfowitz; Massart).
        """
        margin = math.sqrt(math.log(1 / (1 - POWER)) / 2)
        margin += math.sqrt(math.log(2 / LEVEL) / (2 * self.length))
        gap = max(self.gap(wrong), SLIGHT)
        blocks = max(LEAST, math.ceil((margin / gap) ** 2))
        return blocks if blocks <= MOST else math.inf

    def gap(self, wrong: Law) -> float:
        """The largest between the uniform CDF and that of tokens that follow `wrong`.

        Both are straight between the ends of strips.
        """
        low, high = self._strips(list(wrong))
        odds = np.repeat([float(w) / self.length for w in wrong.values()], self.length)
        ends = np.unique([low, high])
        cdf = np.clip((ends[:, None] - low) / (high - low), 0, 1) @ odds
        return float(abs(cdf - ends).max())

    def p_value(self, blocks: list[Block], rng: np.random.Generator) -> float:
        low, high = self._strips(blocks)
        uniform = low + rng.random(len(low)) * (high - low)
        return float(stats.kstest(uniform, "uniform").pvalue)

    def _strips(self, blocks: list[Block]) -> Floats:
        """Low and high ends (2, tokens) of the part of [0, 1) that stands for a token.

        A token is right if a uniform number in its strip is uniform in [0, 1).
        """
        of = {block: list(self._ends(block)) for block in set(blocks)}
        return np.array([ends for block in blocks for ends in of[block]]).T

    def _ends(self, block: Block) -> Iterator[tuple[float, float]]:
        for i, token in enumerate(block):
            cdf = [0.0, *np.cumsum(self.target(block[:i]).astype(float))]
            yield list(pairwise(cdf))[token]


def pooled(law: Law, cells: dict[Block, int]) -> Floats:
    """The odds of each cell."""
    odds = np.zeros(max(cells.values()) + 1)
    np.add.at(odds, [cells[outcome] for outcome in law], [*map(float, law.values())])
    return odds


JUDGES: tuple[Callable[[Rows, int], Judge], ...] = ChiSquare, Smirnov
