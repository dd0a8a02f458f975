"""A rule for one request, run on many."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import torch
from torch import Tensor

from ..verified import Verified
from .reading import Reading
from .request import Desk, Ending, Request, Sequential
from .row import Row


class Given(NamedTuple):
    """What `verify` is given (gpu/batch), on the CPU; q and parents may be None."""

    p: Tensor
    q: Tensor | None
    tokens: Tensor
    parents: Tensor | None
    lengths: Tensor
    accept: Tensor
    sample: Tensor


def run(rule: Sequential, given: Given, readings: Iterable[Reading]) -> Verified:
    """Every request by itself, with its own reading, in as many threads as torch has"""
    p, q = given.p, given.q
    wide = torch.float64 in (p.dtype, None if q is None else q.dtype)
    dtype = torch.float64 if wide else torch.float32
    batch = [*zip(range(len(p)), _luck(given, dtype), readings, strict=True)]
    threads = max(1, min(torch.get_num_threads(), len(batch)))

    def some(first: int) -> list[tuple[Ending, bool]]:
        desk = Desk(*(Row(p.shape[-1], dtype) for _ in range(2)))
        return [_one(rule, given, *each, desk) for each in batch[first::threads]]

    if threads == 1:
        found = [some(0)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = [*pool.map(some, range(threads))]
    return _packed([found[b % threads][b // threads] for b in range(len(batch))], given)


def _one(
    rule: Sequential,
    given: Given,
    b: int,
    luck: tuple[list[float], list[float]],
    reading: Reading,
    desk: Desk,
) -> tuple[Ending, bool]:
    """The ending of request b, and whether it was faulty."""
    n = int(given.lengths[b])
    tokens: list[int] = given.tokens[b, :n].tolist()
    above = range(-1, n - 1) if given.parents is None else given.parents[b, :n].tolist()
    q = None if given.q is None else given.q[b]
    request = Request(given.p[b], q, tokens, above, luck, reading, desk)
    ending = rule(request)
    return ending, request.faulty


def _luck(
    given: Given, dtype: torch.dtype
) -> Iterable[tuple[list[float], list[float]]]:
    """The coins of each request, in the precision of the weights, below 1."""
    most = 1 - torch.finfo(dtype).eps / 2
    coins = (c.to(dtype).clamp(max=most).tolist() for c in (given.accept, given.sample))
    return zip(*coins, strict=True)


def _packed(endings: list[tuple[Ending, bool]], given: Given) -> Verified:
    tokens = torch.full(given.p.shape[:2], -1, dtype=torch.long)
    count = torch.ones(len(endings), dtype=torch.long)
    for b, (ending, _) in enumerate(endings):
        block = [*(int(given.tokens[b, node]) for node in ending.path), ending.last]
        tokens[b, : len(block)], count[b] = torch.tensor(block), len(block)
    verified = Verified(tokens, count)
    verified.fallback = torch.tensor([faulty for _, faulty in endings])
    return verified
