"""The pair: the same for everybody, small, unsure of itself, and exact in 16 bits."""

import hashlib

import numpy as np

from reference.logits import softmax
from reference.model.transformer import Transformer
from specsim.oracle.probe import pair
from specsim.pretrained import Pretrained

DIGESTS = {
    "target": "5905439b67a52832",
    "draft": "48bedb2e25f0c5d6",
}


def digest(model: Pretrained) -> str:
    made = hashlib.sha256()
    for name in sorted(model.arrays):
        made.update(model.arrays[name].astype("<f4").tobytes())
    return made.hexdigest()[:16]


def test_the_weights_are_those_that_were_converted() -> None:
    assert digest(pair.target()) == DIGESTS["target"]
    assert digest(pair.draft()) == DIGESTS["draft"]


def test_half_precision_of_either_kind_holds_the_weights() -> None:
    for model in (pair.target(), pair.draft()):
        for array in model.arrays.values():
            assert (array.astype(np.float16) == array).all()
            assert (array.view(np.uint32) & 0xFFFF == 0).all()  # bfloat16


def test_the_pair_is_small() -> None:
    for model in (pair.target(), pair.draft()):
        assert 4 * sum(array.size for array in model.arrays.values()) < 400_000


def rows(model: Pretrained, text: list[int]) -> np.ndarray:
    wide = {name: array.astype(float) for name, array in model.arrays.items()}
    network = Transformer(model.config, wide)
    logits, _ = network.extend(text, range(-1, len(text) - 1))
    return np.asarray(softmax(logits[1:]))


def test_target_and_draft_overlap_by_two_thirds_and_nothing_is_certain() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(3, 16, 10).tolist() for _ in range(40)]
    p, q = (
        np.vstack([rows(model(), text) for text in texts])
        for model in (pair.target, pair.draft)
    )
    assert 0.6 < np.minimum(p, q).sum(-1).mean() < 0.7
    assert -(p * np.log(p)).sum(-1).mean() > 1.5
    assert p.max(-1).mean() < 0.5
