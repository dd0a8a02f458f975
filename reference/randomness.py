"""Where an algorithm's luck comes from.

A reference algorithm never draws a random number itself. It asks a `Source`, and each
coin has a name, so nothing depends on the order in which coins are used:

* `draft(i, weights)`  which token drafted node i is (asked by drafters),
* `accept(i, prob)`    is drafted node i kept?,
* `sample(r, weights)` the token that ends the block, at row r of the target.

Weights need not be normalised. Whoever calls the algorithm decides who answers:
`sampler(rng)` by chance, `keyed(seed, ...)` by a counter-based generator, `replay` from
written uniforms (golden vectors, the gpu twin), `law(run)` every way there is.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, Protocol, TypeVar

import numpy as np

from .probs import Probs

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
Coin = tuple[str, int]
PURPOSES = "draft", "accept", "sample"


class Refused(ValueError):
    """An exact run met what no right algorithm asks for: its message says what."""


class Source(Protocol):
    def draft(self, i: int, weights: Probs) -> int: ...
    def accept(self, i: int, prob: Any) -> bool: ...
    def sample(self, r: int, weights: Probs) -> int: ...


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


class Uniforms(_Named):
    """Answers from uniforms in [0, 1): kept iff u < prob; which, by inverse CDF.

    margin: how near any decision so far came to falling the other way, in units of u.
    """

    def __init__(self, uniform: Callable[[Coin], Any]):
        super().__init__()
        self._uniform = uniform
        self.margin: Any = 1.0

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
        self.margin = min([self.margin, *abs(inner - u)])
        return int(np.searchsorted(cdf, u * cdf[-1], side="right"))


def sampler(rng: np.random.Generator) -> Uniforms:
    """Answers by chance. One Source serves one step: its coins are tossed once."""
    return Uniforms(lambda coin: rng.random())


def keyed(seed: int, request: int = 0, step: int = 0) -> Uniforms:
    """Answers by chance from Philox, keyed by (seed, request, step, purpose, index).

    The same name gives the same uniform, whatever was asked before or by whom.
    """

    def uniform(coin: Coin) -> float:
        counter = np.array([0, coin[1], PURPOSES.index(coin[0]), step], np.uint64)
        key = np.array([seed, request], np.uint64)  # lists of large ints turn to floats
        bits = np.random.Philox(key=key, counter=counter)
        return float(np.random.Generator(bits).random())

    return Uniforms(uniform)


def replay(accept: Sequence[Any], sample: Sequence[Any]) -> Uniforms:
    """Answers from written uniforms: accept (N,) by node, sample (N + 1,) by row."""
    written = {"accept": accept, "sample": sample}
    return Uniforms(lambda coin: written[coin[0]][coin[1]])


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


class _Path(_Named):
    """One way through the tree of choices: the `turns` given, then always the first."""

    def __init__(self, turns: tuple[int, ...]):
        super().__init__()
        self.turns, self.taken, self.odds = turns, 0, Fraction(1)
        self.others: list[tuple[int, ...]] = []

    def _flip(self, coin: Coin, prob: Any) -> bool:
        if not isinstance(prob, Rational):
            raise TypeError(f"a float leaked into an exact run at {coin}: {prob!r}")
        if not 0 <= Fraction(prob) <= 1:
            raise Refused(f"no probability at {coin}: {prob}")
        ways = {1: Fraction(prob), 0: 1 - Fraction(prob)}
        return bool(self._turn({turn: odds for turn, odds in ways.items() if odds}))

    def _pick(self, coin: Coin, weights: Probs) -> int:
        if not all(isinstance(w, Rational) for w in weights):
            raise TypeError(f"a float leaked into an exact run at {coin}: {weights!r}")
        total = sum(weights)
        if min(weights) < 0 or not total:
            raise Refused(f"nothing to draw from at {coin}: {weights}")
        return self._turn({i: Fraction(w) / total for i, w in enumerate(weights) if w})

    def _turn(self, ways: dict[int, Fraction]) -> int:
        if self.taken == len(self.turns):  # new ground: take the first, note the rest
            first, *rest = ways
            self.others += [(*self.turns, turn) for turn in rest]
            self.turns = (*self.turns, first)
        turn = self.turns[self.taken]
        self.taken += 1
        self.odds *= ways[turn]
        return turn


def branches(run: Callable[[Source], T]) -> Iterator[tuple[T, Fraction]]:
    """Every way `run(source)` can go: its outcome and its odds, which sum to one.

    `run` is called once for each way, so it must be a pure function of its Source.
    """
    pending: list[tuple[int, ...]] = [()]
    while pending:
        path = _Path(pending.pop())
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
