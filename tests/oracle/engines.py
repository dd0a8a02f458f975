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


def lenient(
    p: Array, q: Array, tokens: Array, *, accept: Array, sample: Array
) -> list[int]:
    return coins(p, q / 2, tokens, accept=accept, sample=sample)


def own_luck(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p, q, tokens, rng=np.random.default_rng(rng.integers(2**62)))


LUCK = np.random.default_rng(0)


def ignores_seeds(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return chain(p, q, tokens, rng=LUCK)


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


class Sketches:
    def draft(self, prompt: list[int]) -> list[int]:
        return prompt


def favours_the_likeliest(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        favour = 1.01 if x == p[i].argmax() else 1.0
        if rng.random() >= favour * p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
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


def bools(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[bool]:
    return [True]


def sometimes_raises(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    if tokens[0]:
        raise RuntimeError("no luck with this")
    return chain(p, q, tokens, rng=rng)


def tells_its_coins(
    p: Array, q: Array, tokens: Array, *, accept: Any, sample: Any
) -> list[int]:
    given = [float(x) for x in accept], [float(x) for x in sample]
    raise ValueError("accept = {}, sample = {}".format(*given))


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


def seeded(p: Array, q: Array, tokens: Array, *, seed: int) -> list[int]:
    return chain(p, q, tokens, rng=np.random.default_rng(seed))


not_callable = 3


def redraws_zero(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    u = rng.random()
    while u <= 0.0:
        u = rng.random()
    x = tokens[0]
    if np.log(u) < np.log(p[0, x] / q[0, x]) if p[0, x] else False:
        return [int(x)]
    return [draw(rng, np.maximum(p[0] - q[0], 0))]


def until_it_fits(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    while rng.random() >= 0.5:
        pass
    return [draw(rng, p[0])]


class OptionalRng:
    def verify(
        self,
        p: Array,
        q: Array,
        tokens: Array,
        *,
        accept: Any,
        sample: Any,
        rng: Any = None,
    ) -> list[int]:
        return coins(p, q, tokens, accept=accept, sample=sample)


class AsksForMore:
    accepts = frozenset({"q_none", "k0", "q_zero"})

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        assert p.shape == (len(tokens) + 1, p.shape[1])
        if q is None:
            return one_hot(p, p, tokens, rng=rng)
        assert q.shape == (len(tokens), p.shape[1])
        for i, x in enumerate(tokens):
            if rng.random() * q[i, x] >= p[i, x] or not q[i, x]:
                left = np.maximum(p[i] - q[i], 0)
                return [
                    *tokens[:i],
                    draw(rng, left if q[i, x] and left.any() else p[i]),
                ]
        return [*tokens, draw(rng, p[-1])]


class NeedsEmptyDrafts(AsksForMore):
    """Wrong only where there is nothing drafted."""

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        return super().verify(p, q, tokens, rng=rng) if len(tokens) else [0]


class AsksForTheMoon:
    accepts = frozenset({"moon"})
    verify = staticmethod(chain)


class CannotBeBuilt:
    def __init__(self) -> None:
        raise RuntimeError("weights not found")

    verify = staticmethod(chain)


class Remembers:
    """Keeps the first residual it computed for each shape."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, ...], Array] = {}

    def verify(self, p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        for i, x in enumerate(tokens):
            if rng.random() >= p[i, x] / q[i, x]:
                left = np.maximum(p[i] - q[i], 0)
                return [
                    *tokens[:i],
                    draw(rng, self.kept.setdefault((i, *p.shape), left)),
                ]
        return [*tokens, draw(rng, p[-1])]


FIRST: list[bool] = []


def first_call(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    if not FIRST:
        FIRST.append(True)
        return [0]
    return chain(p, q, tokens, rng=rng)


def slow_and_wrong(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    time.sleep(0.01)
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-2] if len(tokens) >= 3 else p[-1])]


def very_slow(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    time.sleep(0.2)
    return chain(p, q, tokens, rng=rng)


def forks(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    if not FIRST:
        FIRST.append(True)
        os.fork()
    return chain(p, q, tokens, rng=rng)


def coarse_integers(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.integers(0, 101) / 100 > p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


def close_enough(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        ratio = 1.0 if abs(p[i, x] - q[i, x]) < 1e-2 else p[i, x] / q[i, x]
        if rng.random() >= ratio:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


def top_p_on_the_bonus(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    row = np.where(p[-1] >= 1e-3, p[-1], 0)
    return [*tokens, draw(rng, row)]


def two_of_the_residual(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            left = np.maximum(p[i] - q[i], 0)
            return [
                *tokens[:i],
                draw(rng, np.where(left >= np.sort(left)[-2], left, 0)),
            ]
    return [*tokens, draw(rng, p[-1])]


def four_are_enough(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    for i, x in enumerate(tokens):
        if i == 3:
            return [int(token) for token in tokens]
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


def five_words_are_many(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return [0] if p.shape[1] >= 5 else [draw(rng, p[0])]


def sixteen_are_enough(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """Has coins for so many tokens only, and begins them anew."""
    coins = [rng.random() for _ in tokens[:16]]
    for i, x in enumerate(tokens):
        if coins[i % 16] >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


def a_byte_a_word(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    return [token & 255 for token in chain(p, q, tokens, rng=rng)]


def eight_at_most(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    if len(tokens) > 8:
        raise ValueError("8 drafted tokens at most")
    return chain(p, q, tokens, rng=rng)


def accepts_by_the_first_row(
    p: Array, q: Array, tokens: Array, *, rng: Any
) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() * q[0, x] >= p[i, x]:
            left = np.maximum(p[i] - q[i], 0)
            return [*tokens[:i], draw(rng, left if left.any() else p[i])]
    return [*tokens, draw(rng, p[-1])]


def accepts_by_the_row_before(
    p: Array, q: Array, tokens: Array, *, rng: Any
) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() * q[max(i - 1, 0), x] >= p[i, x]:
            left = np.maximum(p[i] - q[i], 0)
            return [*tokens[:i], draw(rng, left if left.any() else p[i])]
    return [*tokens, draw(rng, p[-1])]


def corrects_by_the_first_row(
    p: Array, q: Array, tokens: Array, *, rng: Any
) -> list[int]:
    for i, x in enumerate(tokens):
        if rng.random() * q[i, x] >= p[i, x]:
            left = np.maximum(p[i] - q[0], 0)
            return [*tokens[:i], draw(rng, left if left.any() else p[i])]
    return [*tokens, draw(rng, p[-1])]


def drafts_after_the_fourth(
    p: Array, q: Array, tokens: Array, *, rng: Any
) -> list[int]:
    """From the fifth token on what the drafter would say is taken for the target's."""
    for i, x in enumerate(tokens):
        if i == 4:
            return [*tokens[:4], draw(rng, q[4])]
        if rng.random() * q[i, x] >= p[i, x]:
            return [*tokens[:i], draw(rng, np.maximum(p[i] - q[i], 0))]
    return [*tokens, draw(rng, p[-1])]


class TreeAsOneChain:
    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        return chain(p, q, tokens, rng=rng)
