"""Engines for the tests: right ones that look odd, wrong ones, and rude ones.

Each is written as an engine's author might write it; none is made from a mutant.
"""

import os
import sys
import time
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def draw(rng: Any, weights: Array) -> int:
    return int(
        np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), "right")
    )


def chain(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


def block(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    k = len(tokens)
    weight, kept, left = 1.0, 0, np.maximum(p[0] - q[0], 0)
    for i, x in enumerate(tokens):
        weight = min(1.0, weight * p[i, x] / q[i, x])
        excess = p[k] if i == k - 1 else np.maximum(weight * p[i + 1] - q[i + 1], 0)
        slack = excess.sum() + 1 - weight
        passes = weight if i == k - 1 else excess.sum() / slack if slack else 1.0
        if rng.random() < passes:
            kept, left = i + 1, excess
    return [*tokens[:kept], draw(rng, left)]


def sampler_match(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    emitted = []
    for i in range(len(tokens) + 1):
        emitted.append(draw(rng, p[i]))
        if i < len(tokens) and emitted[-1] != tokens[i]:
            break
    return emitted


def one_hot(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x]:
            rest = p[i].copy()
            rest[x] = 0
            return [*tokens[:i], draw(rng, rest)]
    return [*tokens, draw(rng, p[-1])]


def no_bonus(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p, q, tokens, rng=rng)[: len(tokens)]


def only_the_first(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p[:2], q[:1], tokens[:1], rng=rng)


def last_redrawn(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    *kept, _ = tokens
    n = len(kept)
    return chain(p[: n + 1], q[:n], np.array(kept, dtype=int), rng=rng)


def single_precision(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p.astype(np.float32), q.astype(np.float32), tokens, rng=rng)


def coins(
    p: Array, q: Array, tokens: Array, *, accept: Array, sample: Array
) -> list[int]:
    for i, x in enumerate(tokens):
        if accept[i] * q[i, x] >= p[i, x]:
            cdf = np.cumsum(np.maximum(p[i] - q[i], 0))
            return [*tokens[:i], int((cdf <= sample[i] * cdf[-1]).sum())]
    return [*tokens, int((np.cumsum(p[-1]) <= sample[-1]).sum())]


def own_luck(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p, q, tokens, rng=np.random.default_rng(rng.integers(2**62)))


def scribbles(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    answer = chain(p, q, tokens, rng=rng)
    p[:], q[:], tokens[:] = np.nan, -1, 10**6
    return answer


def prints(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    print("hello", file=sys.stderr)
    os.write(1, b"{not json}\n")
    print("world")
    return chain(p, q, tokens, rng=rng)


class Tree:
    """Recursive rejection on trees of independent siblings."""

    kinds = frozenset({"iid"})

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        node = -1
        emitted: list[int] = []
        while True:
            row = p[node + 1].copy()
            for child in np.flatnonzero(parents == node):
                x = tokens[child]
                if rng.random() < row[x] / q[child, x]:
                    break
                row = np.maximum(row - q[child], 0)
                row /= row.sum()
            else:
                return [*emitted, draw(rng, row)]
            node = int(child)
            emitted.append(int(x))


class Generates:
    def generate(self, prompt: list[int]) -> list[int]:
        return prompt


def residual_of_softmax(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.exp(np.maximum(p[i] - q[i], 0)))]
    return [*tokens, draw(rng, p[-1])]


def residual_is_target(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, p[i])]
    return [*tokens, draw(rng, p[-1])]


def tiny_epsilon(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / (q[i, x] + 1e-10):
            left = np.maximum(p[i] - q[i], 0)
            return [*tokens[:i], draw(rng, left if left.any() else p[i])]
    return [*tokens, draw(rng, p[-1])]


def own_luck_and_wrong(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return residual_is_target(
        p, q, tokens, rng=np.random.default_rng(rng.integers(2**62))
    )


def raises(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    raise RuntimeError("no luck\ntoday")


def out_of_range(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return [p.shape[1]]


def too_many(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return [0] * (len(tokens) + 2)


def nothing(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return []


def none(p: Array, q: Array, tokens: Array, *, rng: Any) -> None:
    return None


def floats(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[float]:
    return [0.5]


def hangs(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    time.sleep(3600)
    return []


def dies(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    os._exit(7)


def exits(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    sys.exit(0)


def luckless(p: Array, q: Array, tokens: Array) -> list[int]:
    return list(tokens)


not_callable = 3
