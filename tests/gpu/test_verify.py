"""Every twin against its reference, token for token, coin for coin."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from specsim import seam
from specsim.rules import Rule
from specsim.seam import proposal
from tests.gpu.cases import (
    Replay,
    Request,
    arguments,
    dyadic_request,
    emitted,
    even,
    smooth_request,
    torch,
)

pytestmark = pytest.mark.torch
logits = seam.gpu("logits")

NEAR = dict.fromkeys([torch.float32, torch.bfloat16, torch.float16], 2.0**-16)
NEAR[torch.float64] = 2.0**-40
"""Decisions nearer than this to falling the other way (in u) are not compared.

Summing V <= 1000 weights in float32 shifts a cdf by less than 2^-20, whatever the
order. A residual of mass m shifts what is drawn from it by 2^-24 / m more: the bound
covers masses down to 1/250, and rows with less would need a wider one.
"""


def compare(rule: Rule, requests: Sequence[Request], dtype: Any, coins: Any) -> float:
    """The twin must emit what the reference does; the share of requests that counted.

    The reference says how near a tie it came; all on short dyadics, even ties count.
    """
    sources = [Replay(request) for request in requests]
    verified = rule.twin(*arguments(requests, dtype, coins))
    assert not verified.fallback.any()
    counted = 0
    for request, source, block in zip(
        requests, sources, emitted(verified), strict=True
    ):
        expected = rule.verify(request.p, request.proposed, source)
        if source.dyadic or source.margin > NEAR[dtype]:
            assert block == expected, request
            counted += 1
    return counted / len(requests)


@pytest.mark.parametrize("dtype", NEAR, ids=str)
@pytest.mark.parametrize("vocab", [1, 2, 3, 5, 8])
def test_dyadic_rows_give_the_same_tokens(rule: Rule, dtype: Any, vocab: int) -> None:
    rng = np.random.default_rng([3, vocab])
    requests = [dyadic_request(rule, vocab, rng) for _ in range(150)]
    assert compare(rule, requests, dtype, coins=dtype) > 0.98


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str
)
@pytest.mark.parametrize("vocab", [2, 8, 64, 1000])
def test_any_rows_give_the_same_tokens(rule: Rule, dtype: Any, vocab: int) -> None:
    rng = np.random.default_rng([5, vocab])
    requests = [smooth_request(rule, vocab, rng, dtype) for _ in range(100)]
    assert compare(rule, requests, dtype, coins=torch.float64) > 0.9


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("threshold", [1 / 3, 2 / 3])
def test_float64_stays_float64(rule: Rule, threshold: float, sign: int) -> None:
    """The coins miss a threshold by what only float64 can see."""
    p, q = np.array([[1, 2], [1, 2]]) / 3, np.array([[0.5, 0.5]])
    coin = threshold + sign * 2.0**-40
    proposed = proposal.Proposal([0], [-1], q)
    race = np.array([[coin, 2 * threshold] * rule.races] * 2)
    request = Request(p, proposed, [coin], [coin, coin], race[:, : 2 * rule.races])
    expected = rule.verify(p, proposed, Replay(request))
    assert emitted(rule.twin(*arguments([request], torch.float64))) == [expected]


def test_one_batch_or_many_padded_or_not(rule: Rule) -> None:
    """A request's tokens are its own affair, whatever fills the rows beyond it."""
    rng = np.random.default_rng(7)
    requests = [dyadic_request(rule, 4, rng) for _ in range(60)]
    given = arguments(requests, torch.float32)
    p, q, tokens, parents, lengths, accept, sample, race = given
    beyond = torch.arange(tokens.shape[1]) >= lengths[:, None]
    p[:, 1:][beyond] = torch.nan
    q = None if q is None else q.masked_fill(beyond[..., None], torch.nan)
    tokens[beyond] = torch.randint(-9, 9, (int(beyond.sum()),))
    parents[beyond] = torch.randint(-9, 9, (int(beyond.sum()),))
    verified = rule.twin(p, q, tokens, parents, lengths, accept, sample, race)
    assert not verified.fallback.any()
    alone = [emitted(rule.twin(*arguments([r], torch.float32)))[0] for r in requests]
    assert emitted(verified) == alone


def test_chains_need_no_parents(rule: Rule) -> None:
    rng = np.random.default_rng(11)
    requests = [dyadic_request(rule, 4, rng) for _ in range(60)]
    chains = [
        r for r in requests if r.proposed.parents == [*range(-1, len(r.accept) - 1)]
    ]
    given = arguments(chains, torch.float32)
    expected = emitted(rule.twin(*given))
    given[3] = None
    assert emitted(rule.twin(*given)) == expected


def test_nobody_drafts(rule: Rule) -> None:
    """N = 0 for the whole batch: one token each, of the target's own."""
    p = torch.tensor([[[0.25, 0.75]], [[0.75, 0.25]]])
    none = torch.empty(2, 0, dtype=torch.long)
    q, accept = torch.empty(2, 0, 2), torch.empty(2, 0)
    sample = torch.tensor([[0.25], [0.5]])
    given = p, q, none, none, torch.tensor([0, 0]), accept, sample
    verified = rule.twin(*given, even(rule, 2, 1, 2))
    assert emitted(verified) == [[1], [0]]


def test_nothing_waits_for_the_device(rule: Rule) -> None:
    """Tensors without values: whatever read one to decide something would raise."""
    rng = np.random.default_rng(13)
    requests = [dyadic_request(rule, 4, rng) for _ in range(5)]
    given = arguments(requests, torch.float32)
    bare = [None if x is None else x.to("meta") for x in given]
    settings = logits.Filters(*(torch.ones(5, device="meta") for _ in range(3)))
    temperature = settings.top_p
    for setting in (
        {},
        {"logits": True, "temperature": temperature, "filters": settings},
    ):
        verified = rule.twin(*bare, **setting)
        assert verified.tokens.shape == given[0].shape[:2]
        assert verified.count.shape == verified.fallback.shape == (5,)
