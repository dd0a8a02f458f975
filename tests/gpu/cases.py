"""Requests for the twins, each with what its reference emits for the same coins."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from specsim import seam
from specsim.rules import Rule
from specsim.seam import probs, proposal, randomness

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
layout = seam.gpu("layout")

CHAINS: tuple[tuple[int, ...], ...] = (), (1,), (1, 1), (1, 1, 1)
TREES = *CHAINS, (2,), (3,), (2, 1), (1, 2), (2, 2)
PATHS = *CHAINS, (2,), (3,), (2, 1), (2, 1, 1), (3, 1)
SHAPES = {"chain": CHAINS, "tree": TREES, "paths": PATHS}
ROWS, LISTS = 7, 4
"""The most rows that any of these has, and the most nodes at one depth."""
Pair = Callable[[np.random.Generator, int], tuple[probs.Probs, probs.Probs]]


class Request(NamedTuple):
    p: probs.Probs
    proposed: proposal.Proposal
    accept: list[Any]
    sample: list[Any]
    race: probs.Probs


class Replay(randomness.Uniforms):
    """`randomness.replay`, which notes whether all it was asked is a short dyadic."""

    def __init__(self, request: Request):
        written = {"accept": request.accept, "sample": request.sample}
        run = request.race
        super().__init__(
            lambda coin: written[coin[0]][coin[1]], lambda d, n: run[d][:n]
        )
        self.dyadic = True

    def accept(self, i: int, prob: Any) -> bool:
        self.dyadic &= short([prob])
        return super().accept(i, prob)

    def sample(self, r: int, weights: probs.Probs) -> int:
        self.dyadic &= short(weights)
        return super().sample(r, weights)

    def race(self, d: int, weights: probs.Probs) -> int:
        self.dyadic &= short(weights) and short(self._times(d, len(weights)))
        return super().race(d, weights)


def short(numbers: Any) -> bool:
    """Are these multiples of 2^-16, written as Fractions?"""
    return all(isinstance(x, Fraction | int) and 2**16 * x % 1 == 0 for x in numbers)


def dyadic(rng: np.random.Generator, vocab: int) -> tuple[probs.Probs, probs.Probs]:
    """A p of sixteenths and a q of powers of two, of which rules make short dyadics."""
    weights = rng.multinomial(16, rng.dirichlet(np.full(vocab, 0.7)))
    halves = [Fraction(1)]
    for _ in range(rng.integers(vocab)):
        half = halves.pop(rng.integers(len(halves))) / 2
        halves += [half, half]
    q = np.array(halves + [Fraction(0)] * (vocab - len(halves)), dtype=object)
    p = np.array([Fraction(int(w), 16) for w in weights], dtype=object)
    return p, rng.permutation(q)


def smooth(rng: np.random.Generator, vocab: int) -> tuple[probs.Probs, probs.Probs]:
    """A pair of floating-point rows, not far from one another."""
    logits = rng.normal(0, 2, vocab) + np.array([[0], [1]]) * rng.normal(0, 1, vocab)
    rows = np.exp(logits)
    p, q = rows / rows.sum(-1, keepdims=True)
    return p, q


def request(rule: Rule, pair: Pair, vocab: int, rng: np.random.Generator) -> Request:
    """A draft of any shape that the rule accepts; the rows change with the prefix."""
    world = cache(lambda prefix: pair(rng, vocab))
    shapes = SHAPES[rule.shape]
    run = rng.standard_exponential((ROWS, LISTS * vocab)) if rule.races else np.ones(0)
    proposed = proposal.draft(
        lambda prefix: world(prefix)[1],
        shapes[rng.integers(len(shapes))],
        randomness.Uniforms(lambda coin: rng.random(), lambda d, n: run[d, :n]),
        rule.kinds[rng.integers(len(rule.kinds))],
    )
    p = proposal.score(lambda prefix: world(prefix)[0], proposed)
    coins = list(rng.random(2 * len(p) - 1))
    race = run[: len(p), : rule.races * vocab] if rule.races else run
    return Request(p, proposed, coins[: len(p) - 1], coins[len(p) - 1 :], race)


def dyadic_request(rule: Rule, vocab: int, rng: np.random.Generator) -> Request:
    """One whose rows are short dyadics, its coins multiples of 1/128, 0 among them, its
    times of 1/8.
    """
    while True:
        p, proposed, accept, sample, race = request(rule, dyadic, vocab, rng)
        if proposed.q is None or short(proposed.q.flat):
            times = [[Fraction(int(8 * e), 8) for e in row] for row in race]
            return Request(
                p,
                proposed,
                [Fraction(int(128 * u), 128) for u in accept],
                [Fraction(int(128 * u), 128) for u in sample],
                np.array(times, dtype=object),
            )


def smooth_request(
    rule: Rule, vocab: int, rng: np.random.Generator, dtype: Any
) -> Request:
    """One whose rows are exact in `dtype`, so that both sides see the same numbers."""
    p, proposed, accept, sample, race = request(rule, smooth, vocab, rng)
    if proposed.q is not None:
        proposed = proposed._replace(q=rounded(proposed.q, dtype))
    return Request(rounded(p, dtype), proposed, accept, sample, race)


def rounded(rows: probs.Probs, dtype: Any) -> probs.Probs:
    exact: probs.Probs = torch.tensor(rows).to(dtype).double().numpy()
    return exact


def padded(coins: Sequence[Sequence[Any]], dtype: Any) -> Any:
    width = max(map(len, coins))
    rows = [[*map(float, us), *[0.0] * (width - len(us))] for us in coins]
    return torch.tensor(rows, dtype=dtype).reshape(len(coins), width)


def arguments(requests: Sequence[Request], dtype: Any, coins: Any = None) -> list[Any]:
    """What `verify` takes for these requests; the coins in their own dtype."""
    ps, proposals, accept, sample, races = zip(*requests, strict=True)
    packed = layout.pack(ps, proposals, dtype)
    coins = coins or dtype
    if not len(races[0]):
        return [*packed, padded(accept, coins), padded(sample, coins), None]
    run = torch.zeros(*packed.p.shape[:2], len(races[0][0]), dtype=coins)
    for b, times in enumerate(races):
        run[b, : len(times)] = torch.tensor(times.astype(float), dtype=coins)
    return [*packed, padded(accept, coins), padded(sample, coins), run]


def even(rule: Rule, batch: int, rows: int, vocab: int) -> Any:
    """Times in which the likeliest word of a row wins; None if no race is read."""
    return torch.ones(batch, rows, rule.races * vocab) if rule.races else None


def emitted(verified: Any) -> list[list[int]]:
    """What each request emits; the shape and the padding are checked on the way."""
    blocks: list[list[int]] = layout.unpack(*verified)
    width = verified.tokens.shape[1]
    filled = [block + [-1] * (width - len(block)) for block in blocks]
    assert verified.tokens.tolist() == filled
    assert all(len(block) > 0 and -1 not in block for block in blocks)
    return blocks
