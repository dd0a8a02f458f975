"""A target small enough to be trained for in a test, and something to read."""

import json
from pathlib import Path
from typing import Any

from specsim import pretrained, seam, tokens, weights
from specsim.roofline.fields import Fields
from specsim.training import shapes
from specsim.weights import Array
from tests.reference.model.small import random_weights

SHAPE: dict[str, Any] = {
    **shapes.DRAFT,
    "vocab_size": 256,
    "hidden_size": 24,
    "intermediate_size": 40,
    "head_dim": 8,
}
TEXT = "".join(f"line {n} of the text: {n * n}\n" for n in range(80))
QUICK: dict[str, Any] = {"steps": 6, "length": 16, "batch": 2, "rate": 3e-3}


def target(folder: Path) -> Path:
    """A file of random weights, its tokenizer (bytes) beside it."""
    path = folder / "target.safetensors"
    config = pretrained.config(Fields(path, SHAPE))
    arrays = random_weights(seam.reference("model.transformer").shapes(config), 1, "f4")
    described = json.dumps(shapes.described(config))
    weights.save(path, arrays, {"config": described})
    tokens.Tokenizer([]).save(folder / tokens.FILE)
    return path


def text(folder: Path) -> Path:
    """A file to train on."""
    path = folder / "text.txt"
    path.write_text(TEXT)
    return path


def arrays(path: Path) -> dict[str, Array]:
    return weights.read(path).arrays
