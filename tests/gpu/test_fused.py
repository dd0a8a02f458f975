"""Rules from logits, a row at a time: the blocks of the rules on tensors of rows."""

from typing import Any

import numpy as np
import pytest

from specsim import seam
from specsim.rules import RULES, Rule
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
logits, fused = seam.gpu("logits"), seam.gpu("fused.row")
NAMES = "chain", "block", "one_hot", "greedy", "target_only", "recursive"
TREES = "greedy", "target_only", "recursive"
TREE = [-1, -1, 0, 0, 1]
HUB = [-1, -1, -1, 2, 2]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.7},
    {"temperature": 0},
    {"filters": logits.Filters(top_k=3)},
    {"filters": logits.Filters(top_p=0.8)},
    {"temperature": 1.3, "filters": logits.Filters(20, 0.9, 0.05)},
]
each = pytest.mark.parametrize(
    "fast", [RULES[name] for name in NAMES], ids=lambda rule: rule.name
)


def given(seed: int, vocab: int, parents: Any = None, requests: int = 8) -> list[Any]:
    """p, q, tokens, parents, lengths, accept, sample of requests, p and q logits."""
    rng, nodes = np.random.default_rng([seed, vocab]), 5
    p = rng.normal(0, 2, (requests, nodes + 1, vocab))
    q = p[:, :nodes] + rng.normal(0, 1, (requests, nodes, vocab))
    noise = rng.gumbel(size=q.shape)
    if parents is not None:
        q, noise = p[:, [above + 1 for above in parents]] + noise / 3, 0 * noise
        for sibling in range(1, nodes):  # without replacement: no token twice
            elder = [i for i in range(sibling) if parents[i] == parents[sibling]]
            for i in elder:
                np.put_along_axis(
                    q[:, sibling], q[:, i].argmax(-1)[:, None], -np.inf, -1
                )
    tokens = (q + noise).argmax(-1)
    lengths = rng.integers(0, nodes + 1, requests)
    made = [
        p,
        q,
        tokens,
        parents,
        lengths,
        rng.random(q.shape[:2]),
        rng.random(p.shape[:2]),
    ]
    made[3] = None if parents is None else np.tile(parents, (requests, 1))
    return [x if x is None else torch.tensor(x) for x in made]


def on_tensors(rule: Rule, request: list[Any], **setting: Any) -> Any:
    """The same by rows that were made before."""
    temperature, filters = setting.get("temperature"), setting.get("filters")
    p, q = (logits.process(x, temperature, filters) for x in request[:2])
    return rule.twin(p, q, *request[2:])


@each
@pytest.mark.parametrize("vocab", [2, 40, 600])
def test_rows_from_logits_give_the_same_blocks(fast: Rule, vocab: int) -> None:
    shapes = [None, TREE] if fast.name in TREES and vocab > 2 else [None]
    for seed, (setting, parents) in enumerate(
        (s, shape) for s in SETTINGS for shape in shapes
    ):
        request = given(seed, vocab, parents)
        made = fast.twin(*request, logits=True, **setting)
        assert torch.equal(made.tokens, on_tensors(fast, request, **setting).tokens)


def test_hub_trees_from_logits_give_the_same_blocks() -> None:
    rule = RULES["greedy_transport"]
    for seed in range(20):
        request = given(seed, 30, HUB)
        q, tokens = request[1:3]
        drawn = torch.tensor([False, False, True, False, True])
        certain = torch.full_like(q, -torch.inf).scatter(-1, tokens[..., None], 0.0)
        request[1] = torch.where(drawn[:, None], q, certain)
        made = rule.twin(*request, logits=True)
        assert torch.equal(made.tokens, on_tensors(rule, request).tokens)


@each
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_is_read_in_single(fast: Rule, dtype: Any) -> None:
    request = given(7, 300)
    narrow = [x.to(dtype) for x in request[:2]]
    made = fast.twin(*narrow, *request[2:], logits=True)
    wide = fast.twin(*(x.float() for x in narrow), *request[2:], logits=True)
    assert torch.equal(made.tokens, wide.tokens)


@each
def test_a_shift_of_all_logits_changes_nothing(fast: Rule) -> None:
    """Even by so much that exp of them is 0 or infinite."""
    request = given(3, 50)
    at_rest = fast.twin(*request, logits=True)
    for by in -2000.0, 2000.0:
        moved = [x + by for x in request[:2]]
        assert torch.equal(
            fast.twin(*moved, *request[2:], logits=True).tokens, at_rest.tokens
        )


@each
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_row_without_a_law_is_flagged(fast: Rule, poison: float) -> None:
    request = given(5, 20)
    request[4][:] = 3
    request[0][1] = poison if poison < 0 else request[0][1]
    request[0][1, :, 4] = poison
    made = fast.twin(*request, logits=True)
    assert made.fallback.tolist() == [b == 1 for b in range(8)]


@each
def test_padding_of_the_vocabulary_is_never_drawn(fast: Rule) -> None:
    request = given(9, 30)
    wide = [torch.nn.functional.pad(x, (0, 7), value=-torch.inf) for x in request[:2]]
    request[6][:, :] = 1 - 2.0**-53
    made = fast.twin(*wide, *request[2:], logits=True)
    assert torch.equal(made.tokens, fast.twin(*request, logits=True).tokens)


def test_a_draft_may_be_given_as_rows() -> None:
    request = given(11, 40)
    rows = request[1].softmax(-1)
    for name in "chain", "block", "recursive":
        rule = RULES[name]
        made = rule.twin(request[0], rows, *request[2:], logits=True, drafted="rows")
        assert torch.equal(made.tokens, rule.twin(*request, logits=True).tokens)


@pytest.mark.parametrize("name", ["chain", "block", "recursive"])
def test_a_token_that_was_not_drawn_ends_the_draft(name: str) -> None:
    request = given(13, 20)
    request[4][:] = 5
    request[1][2].scatter_(-1, request[2][2, :1, None].expand(5, 1), -torch.inf)
    request[2][4, 0] = 99
    made = RULES[name].twin(*request, logits=True)
    assert made.fallback.tolist() == [b in (2, 4) for b in range(8)]
    assert made.count[[2, 4]].tolist() == [1, 1]


def test_threads_change_nothing() -> None:
    request, threads = given(17, 300, requests=9), torch.get_num_threads()
    alone = RULES["chain"].twin(*request, logits=True)
    try:
        torch.set_num_threads(3)
        several = RULES["chain"].twin(*request, logits=True)
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(alone.tokens, several.tokens)


def test_the_lowest_of_the_likeliest_wins() -> None:
    for size in 3, 256, 700:
        row = torch.zeros(size)
        for at in (0, size // 2, size - 1):
            row[at:] = 1
            assert fused.argmax(row) == at or row[:at].max() == 1
            row[:] = 0
