"""Verifiers as they are written in the wild: NumPy, floats, a Generator passed along.

Each takes p (K+1, V), q (K, V), tokens (K,) and a Generator, and returns its block.
"""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Rng = np.random.Generator
Engine = Callable[[Rows, Rows, list[int], Rng], list[int]]


def scaled(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """No division, hence exact on dyadic rows."""
    for i, x in enumerate(tokens):
        if not rng.random() * q[i, x] < p[i, x]:
            cdf = np.maximum(p[i] - q[i], 0).cumsum()
            return [*tokens[:i], int((cdf <= rng.random() * cdf[-1]).sum())]
    return [*tokens, int(np.searchsorted(p[-1].cumsum(), rng.random(), side="right"))]


def looped(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    out: list[int] = []
    for i, x in enumerate(tokens):
        if rng.random() <= min(1, p[i, x] / q[i, x]):
            out.append(x)
            continue
        left = np.clip(p[i] - q[i], 0, None)
        cdf = np.cumsum(left / left.sum())
        return [*out, int(np.searchsorted(cdf, rng.random(), side="right"))]
    return [*out, int(np.searchsorted(np.cumsum(p[-1]), rng.random(), "right"))]


def vectorised(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    at = np.arange(len(tokens))
    kept = rng.random(len(tokens)) < p[at, tokens] / q[at, tokens]
    n = int(np.cumprod(kept).sum())
    row = p[-1] if n == len(tokens) else np.maximum(p[n] - q[n], 0)
    return [*tokens[:n], int(rng.choice(len(row), p=row / row.sum()))]


def multinomial(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    us = rng.uniform(size=len(tokens))
    n = 0
    while n < len(tokens) and us[n] < p[n, tokens[n]] / q[n, tokens[n]]:
        n += 1
    row = p[n] if n == len(tokens) else np.maximum(p[n] - q[n], 0)
    return [*tokens[:n], int(rng.multinomial(1, row / row.sum()).argmax())]


def log_space(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    with np.errstate(divide="ignore"):
        lp, lq = np.log(p), np.log(q)
    for i, x in enumerate(tokens):
        if not np.log(rng.random()) < lp[i, x] - lq[i, x]:
            return [*tokens[:i], by_hand(np.maximum(p[i] - q[i], 0), rng)]
    return [*tokens, by_hand(p[-1], rng)]


def by_hand(weights: Rows, rng: Rng) -> int:
    u, below = rng.random(), 0.0
    weights = weights / weights.sum()
    for y, w in enumerate(weights):
        below += w
        if u < below:
            return y
    return int(np.flatnonzero(weights)[-1])


def flipped(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    for i, x in enumerate(tokens):
        if 1 - rng.random() > np.float64(1) - np.float64(2) * p[i, x] / q[i, x] / 2:
            continue
        cdf = np.cumsum(np.maximum(p[i] - q[i], 0))
        return [*tokens[:i], int((cdf / cdf[-1] > rng.random()).argmax())]
    u = rng.random()
    return [*tokens, int((u < np.cumsum(p[-1])).argmax())]


def binomial(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    rng = np.random.default_rng(rng)
    for i, x in enumerate(tokens):
        if not rng.binomial(1, min(1, p[i, x] / q[i, x])):
            cdf = np.cumsum(np.maximum(p[i] - q[i], 0)).tolist()
            return [*tokens[:i], bisect.bisect(cdf, rng.random() * cdf[-1])]
    return [*tokens, bisect.bisect(np.cumsum(p[-1]).tolist(), rng.random())]


def single(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Rows in float32, uniforms not."""
    return looped(p.astype(np.float32), q.astype(np.float32), tokens, rng)


def racing(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Residual by exponential race, bonus by the Gumbel trick."""
    for i, x in enumerate(tokens):
        if not rng.random() < p[i, x] / q[i, x]:
            left = np.maximum(p[i] - q[i], 0)
            return [
                *tokens[:i],
                int(np.argmax(left / rng.standard_exponential(len(left)))),
            ]
    with np.errstate(divide="ignore"):
        return [*tokens, int(np.argmax(np.log(p[-1]) + rng.gumbel(size=len(p[-1]))))]


def handmade_race(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """The same race from logarithms of uniforms, and the bonus as an argmin."""
    for i, x in enumerate(tokens):
        if not rng.random() < p[i, x] / q[i, x]:
            row = np.maximum(p[i] - q[i], 0)
            return [*tokens[:i], first_over(row, rng)]
    return [*tokens, first_over(p[-1], rng)]


def first_over(row: Rows, rng: Rng) -> int:
    support = np.flatnonzero(row)
    noise = -np.log(-np.log(rng.random(len(support))))
    return int(support[np.argmax(np.log(row[support]) + noise)])


def sampler_match(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    out: list[int] = []
    for row, x in zip(p, [*tokens, -1], strict=True):
        out.append(int(np.searchsorted(np.cumsum(row), rng.random(), side="right")))
        if out[-1] != x:
            break
    return out


def block(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Sun et al. (2024): the longest prefix that passes, judged as a whole."""
    k, weight, weights = len(tokens), 1.0, [1.0]
    for i, x in enumerate(tokens):
        weight = min(1.0, weight * p[i, x] / q[i, x])
        weights.append(weight)
    for n in range(k, -1, -1):
        left = p[n] if n == k else np.maximum(weights[n] * p[n] - q[n], 0)
        total = left.sum()
        if n == k:
            h = weights[n]
        else:
            slack = total + 1 - weights[n]
            h = 1.0 if n == 0 else total / slack if slack else 1.0
        if n == 0 or rng.random() < h:
            cdf = left.cumsum()
            return [
                *tokens[:n],
                int(np.searchsorted(cdf, rng.random() * cdf[-1], "right")),
            ]
    raise AssertionError


def float32_coins(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Casts its coins, which no undrawn uniform can follow."""
    coins = rng.random(len(tokens) + 1).astype(np.float32)
    n = 0
    while n < len(tokens) and coins[n] < np.float32(p[n, tokens[n]] / q[n, tokens[n]]):
        n += 1
    row = p[n] if n == len(tokens) else np.maximum(p[n] - q[n], 0)
    cdf = np.cumsum((row / row.sum()).astype(np.float32))
    y = int(np.searchsorted(cdf, np.float32(rng.random()), side="right"))
    return [*tokens[:n], min(y, len(row) - 1)]


def from_coins(
    p: Rows, q: Rows, tokens: list[int], accept: Any, sample: Any
) -> list[int]:
    """Coin mode: luck comes as two arrays."""
    at = np.arange(len(tokens))
    kept = accept < p[at, tokens] / q[at, tokens]
    n = len(tokens) if kept.all() else int(kept.argmin())
    row = p[n] if n == len(tokens) else np.maximum(p[n] - q[n], 0)
    cdf = row.cumsum()
    return [*tokens[:n], int(np.searchsorted(cdf, sample[n] * cdf[-1], side="right"))]


def reusing_accept(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Wrong: the uniform that refused a token also picks its correction."""
    for i, x in enumerate(tokens):
        u = rng.random()
        if not u * q[i, x] < p[i, x]:
            cdf = np.maximum(p[i] - q[i], 0).cumsum()
            return [*tokens[:i], int(np.searchsorted(cdf, u * cdf[-1], side="right"))]
    return [*tokens, int(np.searchsorted(p[-1].cumsum(), rng.random(), side="right"))]


def one_for_all(p: Rows, q: Rows, tokens: list[int], rng: Rng) -> list[int]:
    """Wrong: one uniform judges every position."""
    u = rng.random()
    for i, x in enumerate(tokens):
        if not u * q[i, x] < p[i, x]:
            cdf = np.maximum(p[i] - q[i], 0).cumsum()
            return [*tokens[:i], int((cdf <= rng.random() * cdf[-1]).sum())]
    return [*tokens, int(np.searchsorted(p[-1].cumsum(), rng.random(), side="right"))]


RIGHT: list[Engine] = [
    scaled,
    looped,
    vectorised,
    multinomial,
    log_space,
    flipped,
    binomial,
    single,
    racing,
    handmade_race,
]
"""The chain rule, in as many hands."""
