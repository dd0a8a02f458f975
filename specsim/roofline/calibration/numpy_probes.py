"""The probes where torch is absent: fp32 on NumPy, products and memory alone."""

from collections.abc import Iterator

import numpy as np

from specsim.roofline.calibration.probes import SHORT, TOKENS, Probe, Work, product

INNER, SMALL, MEDIUM, LARGE, SQUARE = 2048, 256, 2048, 8192, 1024


def probes(pool_bytes: int) -> Iterator[Probe]:
    """All of them, on one array of about so many bytes.

    Small ones come after large ones, which empty the caches.
    """
    pool = np.ones(pool_bytes // 4, np.float32)
    for tokens in TOKENS:
        yield _product(pool, tokens, INNER, MEDIUM)
        yield _product(pool, tokens, INNER, LARGE)
    yield _product(pool, 1, INNER, SMALL)
    yield _product(pool, SHORT, INNER, MEDIUM)
    yield _product(pool, SQUARE, SQUARE, SQUARE)
    yield from _memory(pool)
    yield _small()


def _memory(pool: np.ndarray) -> Iterator[Probe]:
    source, target = pool[: len(pool) // 2], np.empty(len(pool) // 2, np.float32)
    size = float(source.nbytes)
    copy = Work("copy", "fp32", 1, size, 2 * size, 0)
    yield Probe(copy, lambda _: np.copyto(target, source))
    read = Work("read", "fp32", 1, 2 * size, 2 * size, 0)
    yield Probe(read, lambda _: pool.dot(pool))


def _product(pool: np.ndarray, tokens: int, rows: int, columns: int) -> Probe:
    count = len(pool) // (rows * columns)
    weights = pool[: count * rows * columns].reshape(count, columns, rows)
    given = np.ones((tokens, rows), np.float32)
    work = product("fp32", 4, tokens, rows, columns)
    return Probe(
        work, lambda place: given @ weights[place // weights[0].nbytes % count].T
    )


def _small() -> Probe:
    """Norms, rotary embeddings, writes to the cache, activation and sums of a layer."""
    state, inner = np.ones(2048, np.float32), np.ones(8192, np.float32)
    cache = np.ones(2048, np.float32)

    def run(_: int) -> object:
        for _norm in range(2):
            state / np.sqrt(state.dot(state) / len(state) + 1e-5) * state
            np.concatenate((-state[1024:], state[:1024])) * state + state * state
            cache[:] = state + state
        return inner / (1 + np.exp(-inner)) * inner

    return Probe(Work("small", "fp32", 1, 0, 0, 0), run)
