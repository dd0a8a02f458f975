"""Each twin against its reference called request by request, on the same numbers.

`pytest tests/bench_verify.py` prints the ratio for 64 requests of 4 drafted tokens and
32,000 words: the reference in float64, the twin in float32. The two sides take turns,
so that a busy machine slows both alike.
"""

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from specsim.rules import Rule
from specsim.seam import proposal, randomness
from tests.gpu.cases import Request, arguments, smooth, torch

pytestmark = pytest.mark.torch

REQUESTS, NODES, VOCAB = 64, 4, 32_000


@pytest.fixture(scope="module")
def chains() -> list[Request]:
    rng = np.random.default_rng(0)
    requests = []
    for _ in range(REQUESTS):
        p, q = np.swapaxes([smooth(rng, VOCAB) for _ in range(NODES + 1)], 0, 1)
        tokens = [int(rng.choice(VOCAB, p=row)) for row in q[:NODES]]
        proposed = proposal.Proposal(tokens, [*range(-1, NODES - 1)], q[:NODES])
        coins = list(rng.random(2 * NODES + 1))
        own = coins[:NODES], coins[NODES:], np.ones(0)
        requests.append(Request(p, proposed, *own))
    return requests


@pytest.mark.parametrize("threads", [1, 2])
def test_twin_against_reference(
    rule: Rule,
    threads: int,
    chains: list[Request],
    benchmark: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if rule.races:
        times = np.random.default_rng(1).standard_exponential
        run = times((NODES + 1, rule.races * VOCAB))
        chains = [r._replace(race=run) for r in chains]
    given = arguments(chains, torch.float32)
    torch.set_num_threads(threads)
    seconds: list[float] = []

    def reference() -> None:
        start = perf_counter()
        for r in chains:
            rule.verify(r.p, r.proposed, randomness.replay(r.accept, r.sample, r.race))
        seconds.append(perf_counter() - start)

    benchmark.pedantic(rule.twin, given, setup=reference, rounds=9, warmup_rounds=1)
    ratio = median(seconds[1:]) / benchmark.stats.stats.median
    benchmark.extra_info["reference_over_twin"] = ratio
    with capsys.disabled():
        print(f" {rule.name}, {threads} thread(s): reference / twin = {ratio:.2f}")
