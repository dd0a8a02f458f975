"""The probes on NumPy: fp32, by the very kernels that reference/model decodes with.

Its matrices are laid out for few rows (reference/model/linear), its attention and small
operations are what a layer calls: so what is measured is what `specsim generate` does,
of sizes as small models have them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from specsim import seam
from specsim.roofline.calibration.probes import SHORT, TOKENS, Probe, Work, product

INNER, SMALL, MEDIUM, LARGE, SQUARE = 1024, 64, 1024, 8192, 1024
HEADS, GROUPS, WIDTH = 9, 3, 64
CONTEXTS = 128, 4096
PROMPT = 256
FORM = "fp32"
LEAST = 2
"""Matrices of a shape there are at least, so that none is read twice in a row."""


def probes(pool_bytes: int) -> Iterator[Probe]:
    """All of them, on about so many bytes for each shape.

    Small ones come after large ones, which empty the caches.
    """
    pool = np.ones(pool_bytes // 4, np.float32)
    medium, large = (_matrices(pool_bytes, n, INNER) for n in (MEDIUM, LARGE))
    for tokens in TOKENS:
        yield _product(medium, tokens, MEDIUM, INNER)
        yield _product(large, tokens, LARGE, INNER)
    yield _product(_matrices(pool_bytes, SMALL, INNER), 1, SMALL, INNER)
    yield _product(medium, SHORT, MEDIUM, INNER)
    yield _product(_matrices(0, SQUARE, SQUARE), SQUARE, SQUARE, SQUARE)
    for context in CONTEXTS:
        yield _attention(pool, context)
    yield _prefill()
    yield from _memory(pool)
    yield _small()


def _memory(pool: Any) -> Iterator[Probe]:
    source, target = pool[: len(pool) // 2], np.empty(len(pool) // 2, np.float32)
    size = float(source.nbytes)
    copy = Work("copy", FORM, 1, size, 2 * size, 0)
    yield Probe(copy, lambda _: np.copyto(target, source))
    read = Work("read", FORM, 1, 2 * size, 2 * size, 0)
    yield Probe(read, lambda _: pool.dot(pool))


def _matrices(pool_bytes: int, columns: int, rows: int) -> list[Any]:
    linear = seam.reference("model.linear").Linear
    count = max(LEAST, pool_bytes // (4 * rows * columns))
    return [linear(np.ones((columns, rows), np.float32)) for _ in range(count)]


def _product(matrices: list[Any], tokens: int, columns: int, rows: int) -> Probe:
    given = np.ones((tokens, rows), np.float32)
    work = product(FORM, 4, tokens, rows, columns)
    piece = round(work.weights)
    return Probe(work, lambda place: matrices[place // piece % len(matrices)](given))


def _attention(pool: Any, context: int) -> Probe:
    """One token on a cache that is a piece of the pool."""
    attend = seam.reference("model.layers").attend
    size = 2 * GROUPS * context * WIDTH
    count = len(pool) // size
    caches = pool[: count * size].reshape(count, 2, GROUPS, context, WIDTH)
    query, seen = np.ones((1, HEADS, WIDTH), np.float32), np.ones((1, 1), np.bool_)
    flops = 4.0 * HEADS * context * WIDTH
    work = Work("attention", FORM, 1, 4.0 * size, 4.0 * size, flops)

    def run(place: int) -> object:
        keys, values = caches[place // (4 * size) % count]
        return attend(query, keys, values, seen)

    return Probe(work, run)


def _prefill() -> Probe:
    attend = seam.reference("model.layers").attend
    query = np.ones((PROMPT, HEADS, WIDTH), np.float32)
    keys = np.ones((GROUPS, PROMPT, WIDTH), np.float32)
    seen = np.tri(PROMPT, dtype=np.bool_)
    flops = 4.0 * HEADS * WIDTH * PROMPT * (PROMPT + 1) / 2
    work = Work("prefill", FORM, PROMPT, 0, 2.0 * keys.nbytes, flops)
    return Probe(work, lambda _: attend(query, keys, keys, seen))


def _small() -> Probe:
    """What a layer does beside products and attention, one after the other."""
    layers, rotary = seam.reference("model.layers"), seam.reference("model.rotary")
    hidden = HEADS * WIDTH
    config = seam.reference("model.config").Config(
        2, hidden, 3 * hidden, 1, HEADS, GROUPS, WIDTH
    )
    cache = seam.reference("model.cache").Cache(config, 1, np.float32)
    cache.grow([-1])
    state, inner = (np.ones((1, n), np.float32) for n in (hidden, 3 * hidden))
    heads = np.ones((1, HEADS + 2 * GROUPS, WIDTH), np.float32)
    by = rotary.turn(config, np.zeros(1, np.int64), np.float32)

    def run(_: int) -> object:
        layers.rms_norm(state, state[0], config.eps)
        q, k, v = heads[:, :HEADS], heads[:, HEADS:-GROUPS], heads[:, -GROUPS:]
        cache.put(0, rotary.turned(k, by).swapaxes(0, 1), v.swapaxes(0, 1))
        rotary.turned(q, by)
        layers.rms_norm(state + state, state[0], config.eps)
        layers.silu(inner) * inner
        return state + state

    return Probe(Work("small", FORM, 1, 0, 0, 0), run)
