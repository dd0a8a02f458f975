"""Copies and paths in tensors, where drafts of small worlds do not reach."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from specsim.rules import RULES
from specsim.seam import probs, proposal, randomness
from tests.gpu.cases import Request, arguments, emitted, smooth, torch

pytestmark = pytest.mark.torch

DEEP, WIDTH = 150, 3
HUNG_ANYWHERE = "greedy", "target_only", "recursive", "deduplicated", "traversal"


def request(p: probs.Probs, drafted: proposal.Proposal, rng: Any) -> Request:
    coins = [*rng.random(2 * len(p) - 1)]
    nodes = len(drafted.tokens)
    return Request(p, drafted, coins[:nodes], coins[nodes:], np.ones(0))


def agreed(name: str, requests: list[Request], dtype: Any = torch.float64) -> bool:
    """Does the twin emit what the reference does, without a fallback?"""
    rule = RULES[name]
    verified = rule.twin(*arguments(requests, dtype))
    expected = [
        rule.verify(r.p, r.proposed, randomness.replay(r.accept, r.sample))
        for r in requests
    ]
    return emitted(verified) == expected and not verified.fallback.any()


@pytest.mark.parametrize("name", HUNG_ANYWHERE)
def test_nodes_may_come_in_any_order_below_their_parents(name: str) -> None:
    """Depth first, level by level or mixed, with copies that have children too."""
    rng = np.random.default_rng(7)
    requests = []
    for _ in range(300):
        nodes = int(rng.integers(1, 12))
        tokens = rng.integers(3, size=nodes).tolist()
        parents = [int(rng.integers(-1, i)) for i in range(nodes)]
        _, q = smooth(rng, 3)
        drafted = proposal.Proposal(tokens, parents, np.tile(q, (nodes, 1)))
        target = cache(lambda prefix: smooth(rng, 3)[0])
        requests.append(request(proposal.score(target, drafted), drafted, rng))
    assert agreed(name, requests)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("token", ["likeliest", "least"])
def test_the_odds_of_a_path_may_be_too_small_for_floats(token: str, dtype: Any) -> None:
    """Its own, and those of the paths before it, as parts of one another."""
    rng = np.random.default_rng(3)
    nodes = DEEP * WIDTH
    requests = []
    for _ in range(4):
        p, q = (row.astype(np.float32).astype(float) for row in smooth(rng, 8))
        ratio = p / q
        x = int(np.argmin(ratio) if token == "least" else np.argmax(ratio))
        parents = [*[-1] * WIDTH, *range(nodes - WIDTH)]
        drafted = proposal.Proposal([x] * nodes, parents, np.tile(q, (nodes, 1)))
        requests.append(request(np.tile(p, (nodes + 1, 1)), drafted, rng))
    assert agreed("multi_path_block", requests, dtype)
