"""Every twin at the size it is for: 64 requests at once, 131,072 words."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pytest

from specsim import seam
from specsim.rules import Rule, named
from specsim.seam import probs, proposal, randomness
from tests.gpu.cases import emitted, torch

pytestmark = [pytest.mark.torch, pytest.mark.slow]
races = seam.reference("races")

BATCH, VOCAB = 64, 2**17
SHAPES = {"chain": (1, 1, 1, 1), "tree": (2, 2), "paths": (2, 1, 1)}
POOL, LISTS = 16, 4
"""Distinct rows of each model; the most nodes at one depth of a shape."""
NEAR = 2.0**-12
"""Decisions nearer than this to falling the other way (in u) are not compared.

Cumulative sums of so many words in float32 differ by up to 2^-15 between orders.
"""
CASES = 1000
FEWER = {
    "gumbel": 250,
    "list_coupling": 120,
    "importance_weighted": 240,
    "multi_path_block": 100,
}
"""Cases of rules whose reference takes a tenth of a second or more for one."""
MOST = 6 * 2**30
"""Bytes that a twin may take beside its arguments, which are 0.3 to 0.7 GB."""


class Large(NamedTuple):
    """A batch: what `verify` takes, and each draft, its rows q left in the tensor."""

    given: list[Any]
    drafts: list[proposal.Proposal]

    def expected(self, rule: Rule, b: int) -> tuple[list[int], float]:
        """What the reference emits for request b, and how near a tie it came."""
        p, q, *_, accept, sample, race = (
            None if x is None else x[b].double().numpy() for x in self.given
        )
        source = randomness.replay(accept, sample, () if race is None else race)
        block = rule.verify(p, self.drafts[b]._replace(q=q), source)
        return block, float(source.margin)


class Luck:
    """A drafter's: nobody asks how near a tie it came, which takes the longest."""

    def __init__(self, rng: np.random.Generator, run: probs.Probs):
        self._rng, self._run = rng, run

    def draft(self, i: int, weights: probs.Probs) -> int:
        cdf = np.cumsum(weights)
        return int(np.searchsorted(cdf, self._rng.random() * cdf[-1], side="right"))

    def race(self, d: int, weights: probs.Probs) -> int:
        return int(races.winner(self._run[d, : len(weights)], weights))

    def accept(self, i: int, prob: Any) -> bool:
        raise NotImplementedError

    def sample(self, r: int, weights: probs.Probs) -> int:
        raise NotImplementedError


@cache
def world() -> tuple[probs.Probs, probs.Probs]:
    """Rows p and q (POOL, V) in float32: Zipf's, and 7/10 of them with noise."""
    rng = np.random.default_rng(23)

    def zipf() -> probs.Probs:
        row = (1.0 + rng.permutation(VOCAB)) ** -rng.uniform(1.4, 1.8)
        return np.asarray(row / row.sum())

    p = np.array([zipf() for _ in range(POOL)])
    q = 0.7 * p + 0.3 * np.array([zipf() for _ in range(POOL)])
    return p.astype(np.float32), q.astype(np.float32)


def which(prefix: Sequence[int]) -> int:
    """The rows that follow a prefix."""
    return crc32(repr((*prefix,)).encode()) % POOL


def large(rule: Rule, kind: proposal.Kind, rng: np.random.Generator) -> Large:
    """Drafts of one kind and shape, with coins in float64."""
    p, q = map(torch.from_numpy, world())
    shape = SHAPES[rule.shape]
    runs = [_run(rule, rng, len(shape) + 1) for _ in range(BATCH)]
    drafts, rows = [], []
    for b in range(BATCH):
        draft = proposal.draft(
            lambda prefix: q[which(prefix)].double().numpy(),
            shape,
            Luck(rng, runs[b]),
            kind,
        )
        rows.append(None if draft.q is None else torch.from_numpy(draft.q).float())
        drafts.append(draft._replace(q=None))
    nodes = range(-1, len(drafts[0].tokens))
    index = torch.tensor([[which(d.path(i)) for i in nodes] for d in drafts])
    given = [
        p[index],
        None if kind == "fixed" else torch.stack(rows),
        torch.tensor([d.tokens for d in drafts]),
        torch.tensor([d.parents for d in drafts]),
        torch.full([BATCH], len(nodes) - 1),
        torch.from_numpy(rng.random((BATCH, len(nodes) - 1))),
        torch.from_numpy(rng.random((BATCH, len(nodes)))),
        _padded(runs, rule.races * VOCAB, len(nodes)) if rule.races else None,
    ]
    return Large(given, drafts)


def _run(rule: Rule, rng: np.random.Generator, depths: int) -> probs.Probs:
    words = LISTS * VOCAB if rule.races else 0
    return rng.standard_exponential((depths, words), dtype=np.float32)


def _padded(runs: Sequence[probs.Probs], words: int, rows: int) -> Any:
    race = torch.ones(len(runs), rows, words)
    for b, run in enumerate(runs):
        race[b, : len(run)] = torch.from_numpy(run[:, :words])
    return race


def test_large_rows_give_the_same_tokens(rule: Rule, record_property: Any) -> None:
    rng = np.random.default_rng(29)
    batches, seconds, counted = 0, 0.0, 0
    wrong: list[Any] = []
    while counted < FEWER.get(rule.name, CASES):
        batch = large(rule, rule.kinds[batches % len(rule.kinds)], rng)
        start = perf_counter()
        verified = rule.twin(*batch.given)
        seconds += perf_counter() - start
        assert not verified.fallback.any()
        for b, block in enumerate(emitted(verified)):
            expected, margin = batch.expected(rule, b)
            if margin > NEAR:
                counted += 1
                wrong += [(batches, b, block, expected)] * (block != expected)
        batches += 1
    record_property("cases", f"{counted} of {batches * BATCH}")
    record_property("seconds a batch", round(seconds / batches, 2))
    assert not wrong


def test_memory_is_bounded(rule: Rule, record_property: Any) -> None:
    """In a process of its own, as one can only ask for the most it ever took."""
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        given, extra = alone.submit(_memory, rule.name).result()
    record_property("MB given", given // 10**6)
    record_property("MB more", extra // 10**6)
    assert extra < MOST


def _memory(name: str) -> tuple[int, int]:
    """Bytes of the arguments of one call, and the most it took beside them."""
    rule = named(name)
    given = large(rule, rule.kinds[-1], np.random.default_rng(31)).given
    before = _most()
    rule.twin(*given)
    return sum(x.nbytes for x in given if x is not None), _most() - before


def _most() -> int:
    resource = pytest.importorskip("resource")
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024
