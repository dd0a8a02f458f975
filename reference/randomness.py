"""Where an algorithm's luck comes from.

A reference algorithm never draws a random number itself. It asks a `Source`, and each
coin has a name, so nothing depends on the order in which coins are used:

* `draft(i, weights)`  which token drafted node i is (asked by drafters),
* `accept(i, prob)`    is drafted node i kept?,
* `sample(r, weights)` the token that ends the block, at row r of the target,
* `race(d, weights)`   which word wins race d, the one for the token at depth d.

Weights need not be normalised. These coins are tossed once, but a race may be read with
other weights again: that is how a drafter and a rule come to the same token (races.py).
Whoever calls the algorithm decides who answers: `sampler(rng)` by chance, `keyed(seed,
...)` by a counter-based generator, `replay` from written luck (golden vectors, the gpu
twin), `law(run)` every way there is.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, Protocol, TypeVar

import numpy as np

from . import races
from .probs import Probs

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
Coin = tuple[str, int]
Times = Callable[[int, int], Probs]
"""The times, of Exp(1), that the first n words of race d run for: (d, n) in, (n,) out.
"""
PURPOSES = "draft", "accept", "sample"
STREAMS = *PURPOSES, "race"


class Refused(ValueError):
    """An exact run met what no right algorithm asks for: its message says what."""


class Source(Protocol):
    def draft(self, i: int, weights: Probs) -> int: ...
    def accept(self, i: int, prob: Any) -> bool: ...
    def sample(self, r: int, weights: Probs) -> int: ...
    def race(self, d: int, weights: Probs) -> int: ...


class _Named:
    """A Source that is told each coin's name, and refuses to toss one twice."""

    def __init__(self) -> None:
        self._tossed: set[Coin] = set()

    def draft(self, i: int, weights: Probs) -> int:
        return self._pick(self._name("draft", i), weights)

    def accept(self, i: int, prob: Any) -> bool:
        return self._flip(self._name("accept", i), prob)

    def sample(self, r: int, weights: Probs) -> int:
        return self._pick(self._name("sample", r), weights)

    def _name(self, purpose: str, index: int) -> Coin:
        coin = purpose, index
        if coin in self._tossed:
            raise Refused(f"coin {coin} was tossed before")
        self._tossed.add(coin)
        return coin

    def _pick(self, coin: Coin, weights: Probs) -> int:
        raise NotImplementedError

    def _flip(self, coin: Coin, prob: Any) -> bool:
        raise NotImplementedError


def _no_races(d: int, n: int) -> Probs:
    raise Refused(f"race {d} is read, but no times were given for it")


class Uniforms(_Named):
    """Answers from uniforms in [0, 1): kept iff u < prob; which, by inverse CDF. Races
    are run in the times given.

    margin: how near any decision so far came to falling the other way, in units of u,
            or in time by which a race was won.
    """

    def __init__(self, uniform: Callable[[Coin], Any], times: Times = _no_races):
        super().__init__()
        self._uniform, self._times = uniform, times
        self.margin: Any = 1.0

    def race(self, d: int, weights: Probs) -> int:
        if not max(weights) > 0:
            raise Refused(f"nothing to draw from in race {d}: {weights}")
        times = self._times(d, len(weights))
        self.margin = min(self.margin, races.lead(times, weights))
        return races.winner(times, weights)

    def _flip(self, coin: Coin, prob: Any) -> bool:
        u = self._uniform(coin)
        self.margin = min(self.margin, abs(u - prob))
        return bool(u < prob)

    def _pick(self, coin: Coin, weights: Probs) -> int:
        cdf = np.cumsum(weights)
        if not cdf[-1] > 0:
            raise Refused(f"nothing to draw from at {coin}: {weights}")
        u = self._uniform(coin)
        inner = cdf[(cdf > 0) & (cdf < cdf[-1])] / cdf[-1]
        self.margin = abs(inner - u).min(initial=self.margin)
        return int(np.searchsorted(cdf, u * cdf[-1], side="right"))


def sampler(rng: np.random.Generator) -> Uniforms:
    """Answers by chance. One Source serves one step: its coins are tossed once."""
    run: dict[int, Probs] = defaultdict(lambda: np.empty(0))

    def times(d: int, n: int) -> Probs:
        new = rng.standard_exponential(max(0, n - len(run[d])))
        run[d] = np.append(run[d], new)
        return run[d][:n]

    return Uniforms(lambda coin: rng.random(), times)


def keyed(seed: int, request: int = 0, step: int = 0) -> Uniforms:
    """Answers by chance from Philox, keyed by (seed, request, step, purpose, index).

    The same name gives the same luck, whatever was asked before or by whom.
    """

    def stream(purpose: str, index: int) -> np.random.Generator:
        counter = np.array([0, index, STREAMS.index(purpose), step], np.uint64)
        key = np.array([seed, request], np.uint64)  # lists of large ints turn to floats
        return np.random.Generator(np.random.Philox(key=key, counter=counter))

    def times(d: int, n: int) -> Probs:
        return -np.log1p(-stream("race", d).random(n))

    return Uniforms(lambda coin: float(stream(*coin).random()), times)


def replay(
    accept: Sequence[Any], sample: Sequence[Any], race: Sequence[Any] | Probs = ()
) -> Uniforms:
    """Answers from written luck: accept (N,) by node, sample (N + 1,) by row, and the
    times of races (N + 1, V) by depth, V times as wide for rules that tile the words.
    """
    written = {"accept": accept, "sample": sample}
    run = (lambda d, n: np.asarray(race[d])[:n]) if len(race) else _no_races
    return Uniforms(lambda coin: written[coin[0]][coin[1]], run)


class Shifted:
    """The same coins under other numbers: coin i is asked for as i + by.

    Steps of one run get coins of their own, or rows coins by absolute position.
    """

    def __init__(self, source: Source, by: int):
        self._source, self._by = source, by

    def draft(self, i: int, weights: Probs) -> int:
        return self._source.draft(i + self._by, weights)

    def accept(self, i: int, prob: Any) -> bool:
        return self._source.accept(i + self._by, prob)

    def sample(self, r: int, weights: Probs) -> int:
        return self._source.sample(r + self._by, weights)

    def race(self, d: int, weights: Probs) -> int:
        return self._source.race(d + self._by, weights)


class _Path(_Named):
    """One way through the tree of choices: the `turns` given, then always the first.

    The turns given were checked when they were new, in a run that came as far.
    """

    def __init__(self, turns: tuple[int, ...], odds: Fraction):
        super().__init__()
        self.turns, self.taken, self.odds = turns, 0, odds
        self.others: list[tuple[tuple[int, ...], Fraction]] = []
        self._read: dict[int, tuple[races.Reading, ...]] = {}

    def race(self, d: int, weights: Probs) -> int:
        earlier, row = self._read.get(d, ()), tuple(weights)

        def ways() -> dict[int, Fraction]:
            self._check(("race", d), weights)
            if not races.disjoint(earlier):
                why = "no law is known of a third"
                raise Refused(f"race {d} was read twice before: {why}")
            return races.law(earlier, row)

        turn = self._turn(ways)
        self._read[d] = (*earlier, races.Reading(row, turn))
        return turn

    def _flip(self, coin: Coin, prob: Any) -> bool:
        def ways() -> dict[int, Fraction]:
            if not isinstance(prob, Rational):
                raise TypeError(f"a float leaked into an exact run at {coin}: {prob!r}")
            if not 0 <= Fraction(prob) <= 1:
                raise Refused(f"no probability at {coin}: {prob}")
            both = {1: Fraction(prob), 0: 1 - Fraction(prob)}
            return {turn: odds for turn, odds in both.items() if odds}

        return bool(self._turn(ways))

    def _pick(self, coin: Coin, weights: Probs) -> int:
        def ways() -> dict[int, Fraction]:
            self._check(coin, weights)
            total = sum(weights)
            return {i: Fraction(w) / total for i, w in enumerate(weights) if w}

        return self._turn(ways)

    def _check(self, coin: Coin, weights: Probs) -> None:
        if not all(isinstance(w, Rational) for w in weights):
            raise TypeError(f"a float leaked into an exact run at {coin}: {weights!r}")
        if any(w < 0 for w in weights) or not any(weights):
            raise Refused(f"nothing to draw from at {coin}: {weights}")

    def _turn(self, ways: Callable[[], dict[int, Fraction]]) -> int:
        if self.taken == len(self.turns):  # new ground: take the first, note the rest
            (first, share), *rest = ways().items()
            self.others += [((*self.turns, x), self.odds * w) for x, w in rest]
            self.turns, self.odds = (*self.turns, first), self.odds * share
        self.taken += 1
        return self.turns[self.taken - 1]


def branches(run: Callable[[Source], T]) -> Iterator[tuple[T, Fraction]]:
    """Every way `run(source)` can go: its outcome and its odds, which sum to one.

    `run` is called once for each way, so it must be a pure function of its Source.
    """
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        path = _Path(*pending.pop())
        outcome = run(path)
        yield outcome, path.odds
        pending += path.others


def law(run: Callable[[Source], H]) -> dict[H, Fraction]:
    """The exact distribution of `run(source)`.

    >>> law(lambda source: source.accept(0, Fraction(1, 3)))
    {True: Fraction(1, 3), False: Fraction(2, 3)}
    """
    odds: dict[H, Fraction] = defaultdict(Fraction)
    for outcome, share in branches(run):
        odds[outcome] += share
    return dict(odds)
