"""The probes on torch: fp32, bf16 and weight-only int8, on a CPU or a CUDA device.

All weights and caches are pieces of one pool of memory, larger than any cache and read
as whichever format is asked: its bits are bf16 numbers of about 1, pairs of which are
fp32 numbers of about 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from specsim.roofline.calibration.probes import SHORT, TOKENS, Probe, Work, product

FORMATS = {"bf16": torch.bfloat16, "fp32": torch.float32, "int8": torch.int8}
HEADS, GROUPS, WIDTH = 16, 4, 128
CONTEXTS = 512, 4096
PROMPT = 256


@dataclass(frozen=True)
class Sizes:
    """Large enough to be read from memory, small enough to be timed often.

    inner: rows of the matrices; small, medium, large: columns; square: side of the
    product that shows the peak.
    """

    inner: int
    small: int
    medium: int
    large: int
    square: int


HOST = Sizes(2048, 256, 2048, 8192, 1024)
CUDA = Sizes(8192, 1024, 4096, 16384, 8192)


@dataclass(frozen=True)
class Bench:
    """A device, and the pool of memory (bytes) its probes read."""

    device: str
    pool: torch.Tensor

    @property
    def sizes(self) -> Sizes:
        """Of its products."""
        return HOST if self.device == "cpu" else CUDA

    def probes(self) -> Iterator[Probe]:
        """All of them; small ones come after large ones, which empty the caches."""
        for form in FORMATS:
            yield from self._products(form)
        for form in ("bf16", "fp32"):
            yield from self._attentions(form)
            yield self._read()
            yield self._small(form)
        yield self._copy()

    def _numbers(self, form: str) -> torch.Tensor:
        return self.pool.view(FORMATS[form])

    def _pieces(self, form: str, *shape: int) -> list[torch.Tensor]:
        """The pool, cut into as many of that shape as there are."""
        size = int(torch.Size(shape).numel())
        numbers = self._numbers(form)
        whole = numbers[: len(numbers) // size * size]
        return list(whole.view(-1, *shape))

    def _read(self) -> Probe:
        numbers = self._numbers("fp32")
        size = 4.0 * len(numbers)
        work = Work("read", "fp32", 1, size, size, 0)
        return Probe(work, lambda _: torch.dot(numbers, numbers))

    def _copy(self) -> Probe:
        source = self._numbers("fp32")[: len(self.pool) // 8]
        target, size = torch.empty_like(source), float(source.nbytes)
        work = Work("copy", "fp32", 1, size, 2 * size, 0)
        return Probe(work, lambda _: target.copy_(source))

    def _products(self, form: str) -> Iterator[Probe]:
        sizes = self.sizes
        for tokens in TOKENS:
            yield self._product(form, tokens, sizes.inner, sizes.medium)
            yield self._product(form, tokens, sizes.inner, sizes.large)
        yield self._product(form, 1, sizes.inner, sizes.small)
        yield self._product(form, SHORT, sizes.inner, sizes.medium)
        yield self._product(form, sizes.square, sizes.square, sizes.square)

    def _product(self, form: str, tokens: int, rows: int, columns: int) -> Probe:
        weights = self._pieces(form, columns, rows)
        wide = torch.bfloat16 if form == "int8" else FORMATS[form]
        given = torch.ones(tokens, rows, dtype=wide, device=self.device)
        scales = torch.ones(columns, dtype=wide, device=self.device)

        work = product(form, FORMATS[form].itemsize, tokens, rows, columns)

        def plain(place: int) -> object:
            return functional.linear(given, _at(weights, place))

        def integer(place: int) -> object:
            return torch._weight_int8pack_mm(given, _at(weights, place), scales)

        return Probe(work, integer if form == "int8" else plain)

    def _attentions(self, form: str) -> Iterator[Probe]:
        for context in CONTEXTS:
            yield self._attention(form, context)
        yield self._prefill(form)

    def _attention(self, form: str, context: int) -> Probe:
        caches = self._pieces(form, 2, 1, GROUPS, context, WIDTH)
        query = self._ones(form, 1, HEADS, 1, WIDTH)
        size = float(caches[0].nbytes)
        flops = 4.0 * HEADS * context * WIDTH
        work = Work("attention", form, 1, size, size, flops)
        return Probe(work, _attending(query, caches, causal=False))

    def _prefill(self, form: str) -> Probe:
        caches = self._pieces(form, 2, 1, GROUPS, PROMPT, WIDTH)
        query = self._ones(form, 1, HEADS, PROMPT, WIDTH)
        flops = 4.0 * HEADS * WIDTH * PROMPT * (PROMPT + 1) / 2
        work = Work("prefill", form, PROMPT, 0, float(caches[0].nbytes), flops)
        return Probe(work, _attending(query, caches, causal=True))

    def _ones(self, form: str, *shape: int) -> torch.Tensor:
        return torch.ones(shape, dtype=FORMATS[form], device=self.device)

    def _small(self, form: str) -> Probe:
        """A layer's norms, rotary embeddings, writes to the cache, activation and sums.

        One after the other, as eager code does them.
        """
        hidden = HEADS * WIDTH
        state, inner = self._ones(form, 1, hidden), self._ones(form, 1, 4 * hidden)
        query, key = self._ones(form, HEADS, WIDTH), self._ones(form, GROUPS, WIDTH)
        cache = self._ones(form, 2, GROUPS, WIDTH)

        def run(_: int) -> object:
            functional.rms_norm(state, (hidden,), state[0])
            _rotated(query, query[:1])
            cache[0] = _rotated(key, key[:1])
            cache[1] = key
            functional.rms_norm(state + state, (hidden,), state[0])
            functional.silu(inner) * inner
            return state + state

        return Probe(Work("small", form, 1, 0, 0, 0), run)


def _rotated(heads: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    first, second = heads.chunk(2, -1)
    return heads * angle + torch.cat((-second, first), -1) * angle


def _at(pieces: list[torch.Tensor], place: int) -> torch.Tensor:
    """The piece that begins at that byte, or goes on from it."""
    return pieces[place // pieces[0].nbytes % len(pieces)]


def _attending(
    query: torch.Tensor, caches: list[torch.Tensor], causal: bool
) -> Callable[[int], Any]:
    def run(place: int) -> object:
        keys, values = _at(caches, place)
        return functional.scaled_dot_product_attention(
            query, keys, values, is_causal=causal, enable_gqa=True
        )

    return run


def bench(device: str, pool_bytes: int) -> Bench:
    """With a pool of about so many bytes, written once."""
    count = pool_bytes // 2
    numbers = torch.empty(count, dtype=torch.bfloat16, device=device)
    return Bench(device, numbers.uniform_(0.5, 1.5).view(torch.uint8))
