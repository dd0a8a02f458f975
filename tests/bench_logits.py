"""Rules from logits against what they must read, on one thread.

`pytest tests/bench_logits.py` prints for each rule its time over that of summing the
rows it looks at (a bare read), and over a compiled sum of their exponentials. The sides
take turns, so that a busy machine slows them alike.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from specsim.rules import RULES, Rule
from tests.gpu.cases import torch

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
]
REQUESTS, VOCAB, ROUNDS = 8, 128_256, 7
NAMES = "greedy", "target_only", "one_hot", "chain", "block", "recursive"


@pytest.fixture(scope="module", params=[4, 8])
def given(request: pytest.FixtureRequest) -> tuple[Any, ...]:
    """p, q, tokens, parents, lengths, accept, sample: drafts near the target's own."""
    nodes, chance = request.param, torch.Generator().manual_seed(0)
    p = 2 * torch.randn(REQUESTS, nodes + 1, VOCAB, generator=chance)
    p[..., :64] += 6
    q = p[:, :nodes] + torch.randn(REQUESTS, nodes, VOCAB, generator=chance) / 3
    rows = q.softmax(-1).flatten(0, 1)
    tokens = torch.multinomial(rows, 1, generator=chance).view(REQUESTS, nodes)
    coins = (torch.rand(REQUESTS, n, generator=chance) for n in (nodes, nodes + 1))
    return p, q, tokens, None, torch.full((REQUESTS,), nodes), *coins


def looked_at(rule: Rule, given: tuple[Any, ...]) -> Any:
    """The rows that the rule has to see, side by side."""
    p, q, tokens, *rest = given
    if rule.name in ("greedy", "target_only"):  # so that drafts are kept
        tokens[:] = p[:, :-1].argmax(-1)
    count = rule.twin(p, q, tokens, *rest, logits=True).count.tolist()
    rows = [p[b, :n] for b, n in enumerate(count)]
    if rule.name == "block":
        rows = [p.flatten(0, 1), q.flatten(0, 1)]
    elif rule.name in ("chain", "recursive"):
        rows += [q[b, :n] for b, n in enumerate(count)]
    return torch.cat(rows)


def in_turn(*sides: Callable[[], Any]) -> list[float]:
    """Seconds of each, the median of rounds in which all had a turn."""
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(ROUNDS):
        for run, taken in zip(sides, seconds, strict=True):
            start = perf_counter()
            run()
            taken.append(perf_counter() - start)
    return [median(taken[1:]) for taken in seconds]


@pytest.mark.parametrize("name", NAMES)
def test_from_logits(
    name: str, given: tuple[Any, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    rule, total = RULES[name], torch.compile(lambda x: x.exp().sum(-1), dynamic=True)
    rows = looked_at(rule, given)
    total(rows)
    ours, read, summed = in_turn(
        lambda: rule.twin(*given, logits=True), lambda: rows.sum(), lambda: total(rows)
    )
    with capsys.disabled():
        print(
            f" {name}, {given[1].shape[1]} drafted, {len(rows)} rows: "
            f"{ours / read:.2f} of a bare read, {ours / summed:.2f} of exp and sum"
        )
