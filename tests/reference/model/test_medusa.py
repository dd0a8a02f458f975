import numpy as np
import pytest

from reference.logits import softmax
from reference.model import medusa
from reference.model.layers import Array
from tests.reference.model.small import PLAIN, TEXT, TREE, model, random_weights, told

HEADS = 3


def test_untrained_heads_say_what_the_models_head_does() -> None:
    """The residual block starts at zero, the rest as a copy of the model's head."""
    target = told(model(), TEXT)
    logits, hidden = target.extend(*TREE)
    head = target.logits(np.eye(PLAIN.hidden)).T
    width = PLAIN.hidden
    weights: dict[str, Array] = {}
    for k in range(HEADS):
        weights[f"{k}.0.linear.weight"] = np.zeros((width, width))
        weights[f"{k}.0.linear.bias"] = np.zeros(width)
        weights[f"{k}.1.weight"] = head
    made = medusa.Medusa(weights).logits(hidden)
    assert made.shape == (HEADS, *logits.shape)
    np.testing.assert_allclose(
        medusa.Medusa(weights).rows(hidden[2])[1], softmax(logits[2])
    )
    for one in made:
        np.testing.assert_allclose(one, logits, atol=1e-9)


@pytest.mark.torch
def test_torch_gives_the_same_logits() -> None:
    torch = pytest.importorskip("torch")
    nn = torch.nn
    weights = random_weights(medusa.shapes(PLAIN, HEADS), 2, np.float32)
    hidden = random_weights({"h": (5, PLAIN.hidden)}, 1, np.float32)["h"] * 5
    h = torch.tensor(hidden)
    made = medusa.Medusa(weights).logits(hidden)
    for k in range(HEADS):
        inner = nn.Linear(PLAIN.hidden, PLAIN.hidden)
        outer = nn.Linear(PLAIN.hidden, PLAIN.vocab, bias=False)
        for layer, name in ((inner, f"{k}.0.linear"), (outer, f"{k}.1")):
            state = {
                key.removeprefix(f"{name}."): torch.tensor(value)
                for key, value in weights.items()
                if key.startswith(f"{name}.")
            }
            layer.load_state_dict(state)
        with torch.no_grad():
            theirs = outer(h + nn.functional.silu(inner(h)))
        np.testing.assert_allclose(made[k], theirs.numpy(), rtol=0, atol=1e-4)
