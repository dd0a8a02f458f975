"""The exact law of code that draws uniforms and compares them, without sampling.

`law(run)` calls `run(path)` for every way its comparisons can turn out: uniforms come
undrawn from `path.uniform()` (see uniforms.py), and every fork is one turn of the
references' own `branches`. Uniforms are real numbers in [0, 1) here; that an engine's
are multiples of 2^-53 (or 2^-24) moves each of its thresholds by less than that.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import accumulate
from typing import Any, NoReturn, TypeVar

import numpy as np

from specsim.oracle.readings.cells import Cell, Unfollowable
from specsim.oracle.readings.uniforms import Uniform
from specsim.seam import randomness

H = TypeVar("H", bound=Hashable)


class TooManyPaths(Exception):
    """The law was not read within the limits set: its message says which."""


class NotAFunction(Exception):
    """The outcome is no function, of the kind looked for, of the uniforms given."""


MOST_FORKS = 2_000
"""The most forks on one path: code that retries for ever is not followed."""


class Path:
    """One way through a run.

    refusal: what could not be followed, even if the run swallowed the exception.
    """

    def __init__(self, source: randomness.Source):
        self._source, self._forks = source, 0
        self.refusal = ""

    def uniform(self) -> Uniform:
        """One more uniform on [0, 1), not drawn yet."""
        return Uniform(Cell(self))

    def fork(self, odds: Fraction) -> bool:
        """Go both ways, and True with these odds."""
        self._forks += 1
        if self._forks > MOST_FORKS:
            raise TooManyPaths(f"one path forked over {MOST_FORKS} times")
        return self._source.accept(self._forks, odds)

    def race(self, d: int, weights: Iterable[Any]) -> int:
        """The winner of the race of that name, which may be read again."""
        return self._source.race(d, np.array([*weights], dtype=object))

    def refuse(self, reason: str) -> NoReturn:
        self.refusal = reason
        raise Unfollowable(reason)


def law(
    run: Callable[[Path], H],
    *,
    limit: int = 200_000,
    expired: Callable[[], bool] = lambda: False,
) -> dict[H, Fraction]:
    """The exact distribution of `run(path)`.

    All is done twice, because `run` has to be a function of its uniforms. Errors:
    TooManyPaths past `limit` or once `expired()`, which is asked before each path;
    Unfollowable where nothing undrawn can follow; NotAFunction where the two differ.

    >>> law(lambda path: bool(3 * path.uniform() < 1))
    {True: Fraction(1, 3), False: Fraction(2, 3)}
    """
    first, second = (_explore(run, limit, expired) for _ in range(2))
    if first != second:
        raise NotAFunction("the same uniforms gave two laws: is there other luck?")
    return first


def _explore(
    run: Callable[[Path], H], limit: int, expired: Callable[[], bool]
) -> dict[H, Fraction]:
    odds: dict[H, Fraction] = defaultdict(Fraction)
    paths = 0

    def one(source: randomness.Source) -> H:
        nonlocal paths
        if paths == limit or expired():
            raise TooManyPaths(f"stopped after {paths} paths")
        paths += 1
        path = Path(source)
        outcome = run(path)
        if path.refusal:
            raise Unfollowable(path.refusal)
        return outcome

    for outcome, share in randomness.branches(one):
        odds[outcome] += share
    return dict(odds)


class Coins:
    """A Source whose coins are undrawn uniforms, kept by name.

    Unlike the references' own sources it may be asked again for the same coin, whose
    earlier answers then still hold: what a planted bug that reuses a coin needs.
    """

    def __init__(self, path: Path):
        self._path = path
        self._coins: dict[tuple[str, int], Uniform] = {}

    def uniform(self, purpose: str, index: int) -> Uniform:
        """The coin of that name; tossed before or not."""
        return self._coins.setdefault((purpose, index), self._path.uniform())

    def draft(self, i: int, weights: Iterable[Any]) -> int:
        return self.again("draft", i, weights)

    def accept(self, i: int, prob: Any) -> bool:
        return bool(self.uniform("accept", i) < prob)

    def sample(self, r: int, weights: Iterable[Any]) -> int:
        return self.again("sample", r, weights)

    def race(self, d: int, weights: Iterable[Any]) -> int:
        return self._path.race(d, weights)

    def again(self, purpose: str, index: int, weights: Iterable[Any]) -> int:
        """Draw by inverse CDF from the coin of that name, whatever its own purpose."""
        *cdf, total = accumulate(map(Fraction, weights))
        if not total > 0:
            raise randomness.Refused(f"nothing to draw from at {(purpose, index)}")
        u = self.uniform(purpose, index)
        return next((i for i, c in enumerate(cdf) if u < c / total), len(cdf))
