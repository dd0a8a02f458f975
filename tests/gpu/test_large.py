"""Every twin at the size it is for: 64 requests at once, 131,072 words."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pytest

from specsim.rules import Rule, named
from specsim.seam import probs, proposal, randomness
from tests.gpu.cases import emitted, torch

pytestmark = [pytest.mark.torch, pytest.mark.slow]

BATCH, VOCAB = 64, 2**17
SHAPES = {"chain": (1, 1, 1, 1), "tree": (2, 2), "paths": (2, 1, 1)}
POOL = 16
"""Distinct rows of each model."""
NEAR = 2.0**-12
"""Decisions nearer than this to falling the other way (in u) are not compared.

Cumulative sums of so many words in float32 differ by up to 2^-15 between orders.
"""
CASES = 1000
FEWER = {"k_seq": 240, "importance_weighted": 120, "multi_path_block": 50}
"""Cases of rules that sort all words, or look at them twenty times: seconds a batch."""
MOST = 6 * 2**30
"""Bytes that a twin may take beside its arguments, which are 0.3 to 0.9 GB."""


class Luck:
    """Answers as `randomness.replay` does, but faster on rows of this size."""

    def __init__(self, accept: probs.Probs, sample: probs.Probs, race: probs.Probs):
        self._accept, self._sample, self._race = accept, sample, race
        self.margin = 1.0

    def draft(self, i: int, weights: probs.Probs) -> int:
        """Nobody asks how near a tie a drafter came."""
        cdf = np.cumsum(weights)
        return int(np.searchsorted(cdf, self._sample[i] * cdf[-1], side="right"))

    def accept(self, i: int, prob: Any) -> bool:
        self.margin = min(self.margin, abs(self._accept[i] - prob))
        return bool(self._accept[i] < prob)

    def sample(self, r: int, weights: probs.Probs) -> int:
        cdf, u = np.cumsum(weights), self._sample[r]
        inner = cdf[(cdf > 0) & (cdf < cdf[-1])] / cdf[-1]
        self.margin = min(self.margin, abs(inner - u).min(initial=1))
        return int(np.searchsorted(cdf, u * cdf[-1], side="right"))

    def race(self, d: int, weights: probs.Probs) -> int:
        words = np.flatnonzero(weights > 0)
        clocks = self._race[d][words] / weights[words]
        first, second = np.partition(clocks, 1)[:2]
        self.margin = min(self.margin, second - first)
        return int(words[np.argmin(clocks)])


class Large(NamedTuple):
    """A batch: what `verify` takes, and each draft, its rows q left in the tensor."""

    given: list[Any]
    drafts: list[proposal.Proposal]

    def expected(self, rule: Rule, b: int, replay: Any) -> tuple[list[int], float]:
        """What the reference emits for request b, and how near a tie it came."""
        mine: list[Any] = [
            None if x is None else x[b].double().numpy() for x in self.given
        ]
        p, q, *_, accept, sample, race = mine
        source = replay(accept, sample, () if race is None else race)
        block = rule.verify(p, self.drafts[b]._replace(q=q), source)
        return block, float(source.margin)


@cache
def world() -> tuple[probs.Probs, probs.Probs]:
    """Rows p and q (POOL, V), exact in float32: Zipf's, and these with noise."""
    rng = np.random.default_rng(23)

    def zipf() -> probs.Probs:
        row = (1.0 + rng.permutation(VOCAB)) ** -rng.uniform(1.4, 1.8)
        return np.asarray(row / row.sum())

    p = np.array([zipf() for _ in range(POOL)])
    q = 0.7 * p + 0.3 * np.array([zipf() for _ in range(POOL)])
    return p.astype(np.float32), q.astype(np.float32).astype(float)


def which(prefix: Sequence[int]) -> int:
    """The rows that follow a prefix."""
    return crc32(repr((*prefix,)).encode()) % POOL


def large(rule: Rule, kind: proposal.Kind, rng: np.random.Generator) -> Large:
    """Drafts of one kind and shape, with coins in float64."""
    p, rows = world()
    shape = SHAPES[rule.shape]
    lists, nodes = int(np.prod(shape)), int(np.cumprod(shape).sum())
    depths = len(shape) + 1
    q = None if kind == "fixed" else torch.empty(BATCH, nodes, VOCAB)
    race = torch.ones(BATCH, nodes + 1, rule.races * VOCAB) if rule.races else None
    drafts = []
    for b in range(BATCH):
        run = rng.standard_exponential((depths, lists * VOCAB if rule.races else 0))
        draft = proposal.draft(
            lambda prefix: rows[which(prefix)],
            shape,
            Luck(np.empty(0), rng.random(nodes), run),
            kind,
        )
        if q is not None:
            q[b] = torch.from_numpy(draft.q)
        if race is not None:
            race[b, :depths] = torch.from_numpy(run[:, : race.shape[-1]])
        drafts.append(draft._replace(q=None))
    index = [[which(d.path(i)) for i in range(-1, nodes)] for d in drafts]
    given = [
        torch.from_numpy(p)[torch.tensor(index)],
        q,
        torch.tensor([d.tokens for d in drafts]),
        torch.tensor([d.parents for d in drafts]),
        torch.full([BATCH], nodes),
        torch.from_numpy(rng.random((BATCH, nodes))),
        torch.from_numpy(rng.random((BATCH, nodes + 1))),
        race,
    ]
    return Large(given, drafts)


def test_large_rows_give_the_same_tokens(rule: Rule) -> None:
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
            expected, margin = batch.expected(rule, b, Luck)
            if margin > NEAR:
                counted += 1
                wrong += [(batches, b, block, expected)] * (block != expected)
        said = batch.expected(rule, 0, randomness.replay)
        assert said == batch.expected(rule, 0, Luck)
        batches += 1
    print(f"{rule.name}: {counted} of {batches * BATCH}, {len(wrong)} wrong,", end=" ")
    print(f"{seconds / batches:.2f} s a batch")
    assert not wrong


def test_memory_is_bounded(rule: Rule) -> None:
    """In a process of its own, as one can only ask for the most it ever took."""
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        given, extra = alone.submit(_memory, rule.name).result()
    print(f"{rule.name}: {given / 1e6:.0f} MB given, {extra / 1e6:.0f} MB more")
    assert extra < MOST


def _memory(name: str) -> tuple[int, int]:
    """Bytes of the arguments of one call, and the most it took beside them."""
    rule, _ = named(name), world()
    before = _most()
    given = large(rule, rule.kinds[-1], np.random.default_rng(31)).given
    rule.twin(*given)
    size = sum(x.nbytes for x in given if x is not None)
    return size, _most() - before - size


def _most() -> int:
    """Bytes at the peak. getrusage counts what the parent had when it forked, too."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("the peak of a process is read from /proc")
    peak = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
    return int(peak.split()[1]) * 1024
