"""The twin gives what the reference gives, request by request, however padded."""

from typing import Any

import numpy as np
import pytest

from reference.model import transformer
from reference.model.config import Config
from reference.model.transformer import Transformer
from specsim import seam
from tests.gpu.cases import torch
from tests.reference.model.small import CONFIGS, PLAIN, TEXT, TREE, random_weights

pytestmark = pytest.mark.torch
twin = seam.gpu("model.transformer")
cache = seam.gpu("model.cache")

TEXTS = [TEXT, TEXT[:3], [1], [*TEXT, *TEXT]]
TREES = [TREE, ([4, 5], [-1, 0]), ([], []), ([6, 6, 6], [-1, -1, 1])]
PATHS = [[0, 3, 5], [0], [], [1, 2]]
NEXT = [([8], [-1]), ([9, 3], [-1, -1]), ([2, 2], [-1, 0]), ([], [])]
WITHIN = 1e-4


def padded(rows: Any) -> Any:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[-1] * (width - len(row))] for row in rows]).long()


def chains(texts: list[list[int]]) -> list[tuple[list[int], list[int]]]:
    return [(text, [*range(-1, len(text) - 1)]) for text in texts]


def both(config: Config, **how: Any) -> tuple[Any, list[Transformer]]:
    weights = random_weights(transformer.shapes(config), 4, np.float32)
    ours = twin.Transformer(config, weights, len(TEXTS), 64, **how)
    return ours, [Transformer(config, weights) for _ in TEXTS]


def agree(ours: Any, theirs: list[Transformer], trees: Any) -> None:
    """Extend both by the same trees; logits and hidden states are the same."""
    made = ours.extend(*map(padded, zip(*trees, strict=True)))
    for b, (network, tree) in enumerate(zip(theirs, trees, strict=True)):
        for batched, alone in zip(made, network.extend(*tree), strict=True):
            found = batched[b, : len(alone)].numpy()
            np.testing.assert_allclose(found, alone, rtol=0, atol=WITHIN)


def keep(ours: Any, theirs: list[Transformer], paths: list[list[int]]) -> None:
    ours.keep(padded(paths))
    for network, path in zip(theirs, paths, strict=True):
        network.keep(path)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_ragged_batch_is_its_requests_one_by_one(name: str) -> None:
    pair = both(CONFIGS[name])
    agree(*pair, chains(TEXTS))
    keep(*pair, [[*range(len(text))] for text in TEXTS])
    agree(*pair, TREES)
    keep(*pair, PATHS)
    agree(*pair, NEXT)


@pytest.mark.parametrize("name", CONFIGS)
def test_one_token_each_reads_its_own_text_alone(name: str) -> None:
    """As in decoding: after texts of all lengths, and beside a sibling."""
    pair = both(CONFIGS[name])
    agree(*pair, chains(TEXTS))
    keep(*pair, [[*range(len(text))] for text in TEXTS])
    for tokens in ([4, 1, 7, 0], [60, 2, 2, 5]):
        agree(*pair, [([token], [-1]) for token in tokens])
    keep(*pair, [[1], [0], [1], []])
    agree(*pair, [([9], [-1])] * 4)


def test_some_rows_of_the_head() -> None:
    ours, (theirs, *_) = both(PLAIN)
    words = np.array([0, 60, 7])
    expected = theirs.logits(np.eye(PLAIN.hidden, dtype=np.float32)).T[words]
    np.testing.assert_allclose(theirs.head(words), expected, atol=1e-6)
    np.testing.assert_allclose(ours.head(torch.as_tensor(words)), expected, atol=1e-6)


def test_trees_may_grow_in_several_passes() -> None:
    pair = both(PLAIN)
    agree(*pair, chains(TEXTS))
    keep(*pair, [[*range(len(text))] for text in TEXTS])
    agree(*pair, [([4, 5], [-1, -1])] * 4)
    agree(*pair, [([6, 7, 1], [1, 0, 2])] * 4)
    keep(*pair, [[0, 3], [1, 2, 4], [], [1]])
    agree(*pair, NEXT)


def test_keeping_nothing_forgets_the_trees() -> None:
    pair = both(PLAIN)
    agree(*pair, chains(TEXTS))
    keep(*pair, [[*range(len(text))] for text in TEXTS])
    agree(*pair, TREES)
    keep(*pair, [[]] * 4)
    agree(*pair, TREES)


def test_a_cleared_twin_is_a_new_one() -> None:
    ours, _ = both(PLAIN)
    ours.extend(*map(padded, zip(*chains(TEXTS), strict=True)))
    ours.keep(padded([[0]] * 4))
    ours.clear()
    agree(ours, both(PLAIN)[1], TREES)


def test_bfloat16_is_near() -> None:
    ours, theirs = both(PLAIN, dtype=torch.bfloat16)
    logits, hidden = ours.extend(*map(padded, zip(*chains(TEXTS), strict=True)))
    assert logits.dtype == hidden.dtype == torch.bfloat16
    for b, (network, text) in enumerate(zip(theirs, TEXTS, strict=True)):
        alone = network.extend(text, range(-1, len(text) - 1))[0]
        found = logits[b, : len(alone)].float().numpy()
        np.testing.assert_allclose(found, alone, rtol=0, atol=0.15)


def test_ancestors_of_a_long_chain_are_all_before_it() -> None:
    parents = torch.arange(-1, 99)[None]
    assert torch.equal(cache.ancestry(parents)[0], torch.ones(100, 100).tril().bool())


def test_a_batch_that_does_not_fit_is_refused() -> None:
    ours, _ = both(PLAIN)
    tokens, parents = torch.zeros(4, 65).long(), torch.arange(-1, 64).expand(4, -1)
    with pytest.raises(ValueError, match="65 tokens do not fit in 64 slots"):
        ours.extend(tokens, parents)
