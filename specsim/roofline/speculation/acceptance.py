"""How many tokens a step emits: acceptance by position, by rank, or measured.

The mathematics is that of reference/theory.py, varying.py and trees.py, exact on
fractions; here it runs on arrays of scenarios.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Protocol

import numpy as np

from specsim import seam
from specsim.errors import Bad
from specsim.roofline.work import Amount


class Acceptance(Protocol):
    """What survival(k) says: P(d drafted tokens or more are kept), d = 0 to k."""

    def survival(self, k: int) -> list[Amount]: ...


@dataclass(frozen=True)
class Alike:
    """Each token accepted with the same probability if all before it were."""

    alpha: Amount

    def survival(self, k: int) -> list[Amount]:
        return _products([self.alpha] * k)


@dataclass(frozen=True)
class Positions:
    """Token i accepted with probability rates[i] if all before it were."""

    rates: tuple[float, ...]

    @property
    def most(self) -> int:
        """Positions there are rates for."""
        return len(self.rates)

    def survival(self, k: int) -> list[Amount]:
        if k > len(self.rates):
            raise Bad(
                f"alpha has rates of {len(self.rates)} positions, the draft is {k} "
                "deep: give more of them, or draft less"
            )
        return _products(self.rates[:k])


@dataclass(frozen=True)
class Texts:
    """Alpha differs from step to step, by a beta law: some texts are easy.

    correlation: of two tests of one step, 0 to 1. See varying.rates_of_beta.
    """

    mean: Amount
    correlation: float

    def survival(self, k: int) -> list[Amount]:
        return _varying("rates_of_beta", self.mean, self.correlation, k)


@dataclass(frozen=True)
class Runs:
    """Drafts are right in runs along a text. See varying.rates_in_runs."""

    mean: Amount
    correlation: float

    def survival(self, k: int) -> list[Amount]:
        return _varying("rates_in_runs", self.mean, self.correlation, k)


@dataclass(frozen=True)
class Paths:
    """`paths` candidates of k tokens, each accepted independently; the best counts."""

    alpha: Amount
    paths: int

    def survival(self, k: int) -> list[Amount]:
        trees = seam.reference("trees")
        found: list[Amount] = trees.independent_paths(self.alpha, k, self.paths)
        return found


@dataclass(frozen=True)
class Emitted:
    """Tokens a step emits, as measured: a mean, with no law behind it."""

    tokens: Amount

    def survival(self, k: int) -> list[Amount]:
        raise Bad("tokens per step were given: nothing is known but their mean")


def ranks(given: Acceptance, width: int = 16) -> list[Amount]:
    """Odds that the child of a node tried r-th is the one kept, r = 1 to width.

    It is kept with alpha / r of what is left, an assumption: the first with alpha, and
    none with more than the one before. What many tries miss then falls as a power of
    their number, as Sequoia finds (section 4). https://arxiv.org/abs/2402.12374

    >>> [round(rate, 3) for rate in ranks(Alike(0.6), 4)]
    [0.6, 0.12, 0.056, 0.034]
    """
    if not isinstance(given, Alike):
        raise Bad("a tree goes with one alpha: rates by position say nothing of ranks")
    left: Amount = 1.0
    found = []
    for r in range(1, width + 1):
        found.append(left * given.alpha / r)
        left = left - found[-1]
    return found


def tokens(given: Acceptance, k: Amount, tree: Sequence[int] | None = None) -> Amount:
    """Tokens a step emits on average: of a chain of k, or of a tree of parents.

    Arrays of alpha and of k broadcast.

    >>> tokens(Alike(0.8), 4), tokens(Alike(0.8), np.array([1, 2]))
    (3.3616, array([1.8 , 2.44]))
    """
    if isinstance(given, Emitted):
        return _possible(given.tokens, k)
    if tree is not None:
        return sum(_survival(given, 0, tree))
    if isinstance(given, Alike):
        return _geometric(given.alpha, k)
    return _of_each(k, lambda one: sum(given.survival(one)))


def variance(given: Acceptance, k: Amount, tree: Sequence[int] | None = None) -> Amount:
    """The variance of the tokens a step emits, which is what makes latencies spread.

    >>> round(variance(Alike(0.5), 1), 12)
    0.25
    """

    def of(one: int) -> Amount:
        alive = _survival(given, one, tree)
        mean = sum(alive)
        return sum((2 * d + 1) * odds for d, odds in enumerate(alive)) - mean * mean

    return _of_each(k, of) if tree is None else of(0)


def _survival(given: Acceptance, k: int, tree: Sequence[int] | None) -> list[Amount]:
    """P(d drafted tokens or more are kept), d = 0 to the depth."""
    if tree is None:
        return given.survival(k)
    found: list[Amount] = seam.reference("trees").survival(tree, ranks(given))
    return found


def _geometric(alpha: Amount, k: Amount) -> Amount:
    """(1 - alpha^(k + 1)) / (1 - alpha), which is k + 1 at alpha 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = np.subtract(alpha, 1.0)
        total = np.expm1((np.asarray(k) + 1) * np.log1p(missed)) / missed
    found = np.where(missed == 0, np.add(k, 1.0), total)
    return found if found.ndim else float(found)


def _of_each(k: Amount, of: Callable[[int], Amount]) -> Amount:
    """of(k) for each k of an array, computed once for each different one."""
    lengths = np.asarray(k)
    if not lengths.ndim:
        return of(int(lengths))
    found: Amount = np.nan
    for one in np.unique(lengths):
        found = np.where(lengths == one, of(int(one)), found)
    return found


def _possible(emitted: Amount, drafted: Amount) -> Amount:
    if not np.all((np.asarray(emitted) >= 1) & (emitted <= np.add(drafted, 1))):
        raise Bad(
            f"{emitted} tokens per step: a step of {drafted} drafted tokens emits from "
            "1 to one more than that"
        )
    return emitted


def _products(rates: Sequence[Amount]) -> list[Amount]:
    return list(accumulate(rates, mul, initial=1.0))


def _varying(law: str, mean: Amount, correlation: float, k: int) -> list[Amount]:
    try:
        rates: list[Amount] = getattr(seam.reference("varying"), law)(
            mean, correlation, k
        )
    except ValueError as error:
        raise Bad(f"alpha: {error}") from None
    return _products(rates)
