"""What training reads of a text is what the references read of it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reference import losses
from reference.model import eagle as reference_eagle
from reference.model import medusa as reference_medusa
from reference.model import mtp as reference_mtp
from reference.model import transformer
from reference.model.config import Config
from reference.model.transformer import Transformer
from reference.probs import Probs
from specsim import seam
from tests.gpu.cases import torch
from tests.reference.model.small import CONFIGS, PLAIN, random_weights

pytestmark = pytest.mark.torch
causal, eagle, language, medusa, mtp = (
    seam.gpu(f"train.{stem}")
    for stem in ("causal", "eagle", "language", "medusa", "mtp")
)
TEXTS = [[3, 14, 15, 9, 26, 5, 35, 8], [1, 1, 60, 0, 7, 7, 2, 4]]


def agree(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def tensors(shapes: Any, seed: int = 0) -> dict[str, Any]:
    return {k: torch.tensor(v) for k, v in random_weights(shapes, seed).items()}


def base(config: Config = PLAIN) -> dict[str, Any]:
    return tensors(transformer.shapes(config))


def read(config: Config = PLAIN) -> Any:
    return causal.read(config, base(config), torch.tensor(TEXTS))


def ends(words: list[int] | None = None) -> Any:
    """What EAGLE stands between, with the head's rows for some words, or all."""
    head = base()["lm_head.weight"]
    return eagle.Ends(base(), head if words is None else head[words])


def network(config: Config = PLAIN) -> Transformer:
    return Transformer(config, random_weights(transformer.shapes(config)))


def alone(text: list[int], config: Config = PLAIN) -> tuple[Probs, Probs]:
    """Logits and hidden states after each token of one text."""
    logits, hidden = network(config).extend(text, range(-1, len(text) - 1))
    return logits[1:], hidden[1:]


def labelled(logits: Probs, tokens: list[int]) -> Probs:
    one_hot = np.eye(logits.shape[-1])[tokens]
    return losses.cross_entropy(one_hot, logits).value


@pytest.mark.parametrize("name", CONFIGS)
def test_whole_texts_are_read_as_token_by_token(name: str) -> None:
    made = read(CONFIGS[name])
    for b, text in enumerate(TEXTS):
        logits, hidden = alone(text, CONFIGS[name])
        agree(made.logits[b], logits)
        agree(made.hidden[b], hidden)


def test_gradients_reach_every_weight() -> None:
    weights = {k: w.requires_grad_() for k, w in base().items()}
    language.loss(PLAIN, weights, torch.tensor(TEXTS)).backward()
    assert all(w.grad is not None and w.grad.any() for w in weights.values())


def test_language_loss_is_the_cross_entropy_of_the_next_token() -> None:
    value = language.loss(PLAIN, base(), torch.tensor(TEXTS))
    expected = [labelled(alone(text[:-1])[0], text[1:]) for text in TEXTS]
    agree(value, np.mean(expected))


def test_untrained_weights_leave_the_residual_alone() -> None:
    begun = causal.initial(transformer.shapes(PLAIN), 5)
    made = causal.read(PLAIN, begun, torch.tensor(TEXTS))
    x = begun["model.embed_tokens.weight"][torch.tensor(TEXTS)]
    expected = torch.nn.functional.rms_norm(x, x.shape[-1:], eps=PLAIN.eps)
    torch.testing.assert_close(made.hidden, expected)
    again = causal.initial(transformer.shapes(PLAIN), 5)
    assert all(torch.equal(begun[name], again[name]) for name in begun)
    other = causal.initial(transformer.shapes(PLAIN), 6)
    assert not torch.equal(begun["lm_head.weight"], other["lm_head.weight"])


def test_medusa_heads_foretell_further_and_count_less() -> None:
    weights = tensors(reference_medusa.shapes(PLAIN, 3), 2)
    hidden = read().hidden
    value = medusa.loss(weights, hidden[:, :-1], torch.tensor(TEXTS))
    heads = reference_medusa.Medusa(
        random_weights(reference_medusa.shapes(PLAIN, 3), 2)
    )
    expected: Any = 0
    for k in (1, 2, 3):
        found = [
            labelled(heads.logits(alone(text)[1][: -k - 1])[k - 1], text[k + 1 :])
            for text in TEXTS
        ]
        expected += 0.8**k * np.mean(found)
    agree(value, expected)


def test_medusa_does_not_learn_words_that_it_does_not_know() -> None:
    weights = tensors(reference_medusa.shapes(PLAIN, 1, 3), 2)
    hidden, unknown = read().hidden[:, :-1], -100
    labels = torch.full((2, 8), unknown)
    assert float(medusa.loss(weights, hidden, labels)) == 0
    labels[0, 4], labels[1, 2] = 2, 0
    z = medusa.logits(weights, hidden)[0]
    expected = [labelled(z[0, 2], [2]), labelled(z[1, 0], [0])]
    agree(medusa.loss(weights, hidden, labels), 0.8 * np.mean(expected))
    assert medusa.accuracies(weights, hidden, labels, 3).sum() == pytest.approx(2 / 12)


def test_medusa_begins_as_the_targets_head() -> None:
    head = base()["lm_head.weight"]
    begun = medusa.initial(reference_medusa.shapes(PLAIN, 2), head)
    hidden = read().hidden
    for made in medusa.logits({k: w.double() for k, w in begun.items()}, hidden):
        torch.testing.assert_close(made, read().logits)


def test_accuracies_count_ranks() -> None:
    """Heads that know the text, one of them as its second guess."""
    tokens = torch.tensor([[0, 1, 2, 3, 4, 5]])
    hidden = torch.eye(6, dtype=torch.float64)[None, :5]
    weights = {}
    for k, second in ((0, False), (1, True)):
        right = torch.roll(torch.eye(6, dtype=torch.float64), k + 2, 0)
        others = 2 * torch.roll(right, 1, 0) if second else 0
        weights[f"{k}.0.linear.weight"] = torch.zeros(6, 6, dtype=torch.float64)
        weights[f"{k}.0.linear.bias"] = torch.zeros(6, dtype=torch.float64)
        weights[f"{k}.1.weight"] = right + others
    rates = medusa.accuracies(weights, hidden, tokens, 2)
    assert rates.tolist() == [[1, 0], [0, 1]]


def test_medusa_joint_is_both_losses_on_one_pass() -> None:
    target, heads = base(), tensors(reference_medusa.shapes(PLAIN, 2), 2)
    tokens = torch.tensor(TEXTS)
    value = medusa.joint_loss(PLAIN, {**target, **heads}, tokens, tokens, 0.3)
    own = language.loss(PLAIN, target, tokens)
    hidden = causal.read(PLAIN, target, tokens[:, :-1]).hidden
    expected = own + 0.3 * medusa.loss(heads, hidden, tokens)
    torch.testing.assert_close(value, expected)
    shares = [medusa.share(step, 10) for step in range(20)]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.04
    assert set(shares[9:]) == {0.2}


def test_eagle_learns_the_next_feature_and_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eagle, "NOISE", 0.0)
    weights = tensors(reference_eagle.shapes(PLAIN), 3)
    layer = replace(PLAIN, input_norm=False)
    chance = torch.Generator().manual_seed(1)
    value = eagle.loss(
        layer, weights, ends(), torch.tensor(TEXTS), read().hidden, chance
    )
    draft = reference_eagle.eagle(
        random_weights(reference_eagle.shapes(PLAIN), 3), network()
    )
    expected = []
    for text in TEXTS:
        logits, hidden = alone(text)
        draft.clear()
        z, made = draft.extend(text[1:], range(-1, len(text) - 2), hidden[:-1])
        p = np.exp(logits[1:] - np.logaddexp.reduce(logits[1:], -1, keepdims=True))
        words = losses.cross_entropy(p, z).value
        expected.append(losses.smooth_l1(hidden[1:], made).value + 0.1 * words)
    agree(value, np.mean(expected))


def test_eagle_of_few_words_learns_the_targets_row_among_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eagle, "NOISE", 0.0)
    layer, few = replace(PLAIN, input_norm=False), [3, 7, 9, 60]
    weights, hidden = tensors(reference_eagle.shapes(PLAIN), 3), read().hidden
    given = torch.tensor(TEXTS), hidden, torch.Generator().manual_seed(1)
    value = eagle.loss(layer, weights, ends(few), *given)
    embeddings = causal.embed(base(), given[0][:, 1:])
    made = eagle.features(layer, weights, embeddings, hidden[:, :-1])
    p = (read().logits[:, 1:, few]).softmax(-1).numpy()
    z = causal.head(PLAIN, base(), made)[..., few].numpy()
    words = losses.cross_entropy(p, z).value
    distance = losses.smooth_l1(hidden[:, 1:].numpy(), made.numpy()).value
    agree(value, np.mean(distance + 0.1 * words))
    more = eagle.loss(layer, weights, ends(few), *given, 0.5)
    agree(more, np.mean(distance + 0.5 * words))


def test_eagle_reads_features_with_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, made = [], eagle.features

    def noted(*given: Any) -> Any:
        seen.append(given[-1])
        return made(*given)

    monkeypatch.setattr(eagle, "features", noted)
    layer = replace(PLAIN, input_norm=False)
    weights, hidden = tensors(reference_eagle.shapes(PLAIN), 3), read().hidden
    for seed in (1, 1, 2):
        chance = torch.Generator().manual_seed(seed)
        eagle.loss(layer, weights, ends(), torch.tensor(TEXTS), hidden, chance)
    noise = seen[0] - hidden[:, :-1]
    assert 0.09 < noise.abs().max() <= 0.1
    assert abs(noise.mean()) < 0.02
    assert torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[0], seen[2])


def test_mtp_foretells_the_token_after_next() -> None:
    weights = tensors(reference_mtp.shapes(PLAIN), 4)
    hidden = read().hidden[:, :-1]
    value = mtp.loss(PLAIN, weights, base(), torch.tensor(TEXTS), hidden)
    draft = reference_mtp.mtp(random_weights(reference_mtp.shapes(PLAIN), 4), network())
    expected = []
    for text in TEXTS:
        features = alone(text)[1]
        draft.clear()
        z, _ = draft.extend(text[1:-1], range(-1, len(text) - 3), features[:-2])
        expected.append(labelled(z, text[2:]))
    agree(value, np.mean(expected))
