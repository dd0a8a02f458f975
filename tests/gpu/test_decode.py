"""Batches decode token for token as the reference does with the same coins."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from reference.decode import decode
from reference.draft.draft_model import DraftModel
from reference.logits import Sampling
from reference.model.sampled import Sampled
from reference.model.transformer import Transformer
from reference.randomness import Source, Uniforms
from specsim import seam
from specsim.drafters import DRAFTERS
from specsim.oracle.loops import cast
from specsim.rules import RULES
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
looped, network = seam.gpu("decode"), seam.gpu("model.transformer")
PROMPTS = [1, 4, 2, 1, 4], [3], [0, 1, 2, 0, 1, 2, 0], [5, 5]
K, TOKENS, VOCAB, NODES = 3, 20, cast.CONFIG.vocab, 40


class Written(NamedTuple):
    """The coins of one request: by step for most rules, by position for pathwise."""

    seed: int
    pathwise: bool

    def uniforms(self, purpose: str, step: int) -> Any:
        key = [self.seed, ("draft", "accept", "sample", "race").index(purpose), step]
        return np.random.default_rng(key).random((64, 2 * VOCAB))

    def judging(self, purpose: str, step: int, length: int, count: int) -> Any:
        """What the rule is given: (count, 2 V)."""
        if self.pathwise:
            return self.uniforms(purpose, 0)[length : length + count]
        return self.uniforms(purpose, step)[:count]

    def source(self, step: int, length: int) -> Source:
        drafts = self.uniforms("draft", step)
        accept, sample, race = (
            self.judging(purpose, step, length, NODES)
            for purpose in ("accept", "sample", "race")
        )
        written = {"draft": drafts, "accept": accept, "sample": sample}
        return Uniforms(
            lambda coin: written[coin[0]][coin[1], 0],
            lambda d, n: -np.log1p(-race[d, :n]),
        )


class Batched(NamedTuple):
    """The same of a batch, as tensors."""

    requests: list[Written]

    def draft(self, step: int, k: int) -> Any:
        rows = [one.uniforms("draft", step)[:k, 0] for one in self.requests]
        return torch.tensor(np.array(rows))

    def judge(self, step: int, lengths: Sequence[int], nodes: int) -> Any:
        def each(purpose: str, count: int) -> Any:
            pairs = zip(self.requests, lengths, strict=True)
            rows = [one.judging(purpose, step, n, count) for one, n in pairs]
            return torch.tensor(np.array(rows))

        race = -torch.log1p(-each("race", nodes + 1))
        accept, sample = each("accept", nodes), each("sample", nodes + 1)
        return looped.Coins(accept[..., 0], sample[..., 0], race)


def expected(
    drafter: str, rule: str, prompt: list[int], coins: Written, sampling: Sampling
) -> list[list[int]]:
    """What the reference emits, step by step."""
    target = Sampled(Transformer(cast.CONFIG, cast.weights()), sampling, len(prompt))
    draft = Sampled(Transformer(cast.CONFIG, cast.near(0.25)), sampling, len(prompt))
    made = DraftModel(draft) if drafter == "draft-model" else DRAFTERS[drafter].make()
    steps = decode(
        target,
        made,
        RULES[rule].verify,
        prompt,
        k=K,
        luck=coins.source,
        max_tokens=TOKENS,
        stop=frozenset({6}),
    )
    return [step.emitted for step in steps]


def batched(drafter: str, rule: str, coins: Batched, **how: Any) -> list[Any]:
    batch = len(PROMPTS)

    def model(weights: Any) -> Any:
        return network.Transformer(cast.CONFIG, weights, batch, 96, torch.float64)

    if drafter == "draft-model":
        kind = seam.gpu("draft.draft_model").DraftModel
        made = kind(model(cast.near(0.25)), **how)
    else:
        each = [DRAFTERS[drafter].make() for _ in range(batch)]
        made = seam.gpu("draft.lookups").Lookups(each)
    steps = looped.decode(
        model(cast.weights()),
        made,
        RULES[rule].twin,
        PROMPTS,
        k=K,
        luck=coins,
        max_tokens=TOKENS,
        stop=frozenset({6}),
        **how,
    )
    return list(steps)


PAIRS = [
    ("draft-model", "chain"),
    ("draft-model", "block"),
    ("draft-model", "traversal"),
    ("draft-model", "sampler_match"),
    ("draft-model", "gumbel"),
    ("ngram", "one_hot"),
    ("prompt-lookup", "sampler_match"),
    ("suffix", "target_only"),
    ("suffix", "list_coupling"),
]


@pytest.mark.parametrize("temperature", [0.0, 1.0, 0.7])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_every_request_says_what_its_reference_says(
    pair: tuple[str, str], temperature: float
) -> None:
    sampling = Sampling(temperature, top_k=5)
    filters = seam.gpu("logits").Filters(top_k=5)
    pathwise = RULES[pair[1]].losslessness == "pathwise"
    coins = [Written(seed, pathwise) for seed in range(len(PROMPTS))]
    steps = batched(*pair, Batched(coins), temperature=temperature, filters=filters)
    for b, (prompt, one) in enumerate(zip(PROMPTS, coins, strict=True)):
        want = expected(*pair, prompt, one, sampling)
        got = [step.emitted[b] for step in steps]
        assert got[: len(want)] == want
        assert not any(got[len(want) :])
    accepted = sum(sum(step.accepted) for step in steps)
    assert accepted > 4


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="empty prompt"):
        next(looped.decode(None, None, None, [[1], []], k=1, luck=None, max_tokens=1))
