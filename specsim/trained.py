"""What `specsim train` writes for a target, read back as what drafters are made of."""

import json
from pathlib import Path
from typing import Any

from specsim import seam, weights
from specsim.errors import Bad
from specsim.roofline.fields import short_path
from specsim.weights import Array

NODES = 10
"""Of the tree that Medusa's heads are to fill, where nothing else is said."""
Ranks = tuple[int, ...]


def medusa(
    path: str | Path, config: Any, nodes: int = NODES
) -> tuple[Any, list[Ranks]]:
    """Heads (reference/model/medusa) for a target of this shape, and the best tree.

    Bad, in one line: the file is not theirs.
    """
    model, where = seam.reference("model.medusa"), short_path(Path(path))
    stored = weights.read(path)
    words = _vocabulary(stored.arrays, config, where)
    heads = sum(name.endswith(".linear.bias") for name in stored.arrays)
    needed = model.shapes(config, heads, words and len(words.ids))
    arrays = weights.check(stored.arrays, needed, where)
    try:
        rates = [[*map(float, row)] for row in json.loads(stored.metadata["rates"])]
        tree = seam.reference("draft.medusa").likeliest(rates, nodes)
    except (KeyError, ValueError, TypeError, IndexError):
        raise Bad(f"{where}: the header lacks the heads' rates; train anew") from None
    return model.Medusa(arrays, words), tree


def eagle(path: str | Path, target: Any) -> Any:
    """The draft on the features of a network. Bad as above."""
    model, where = seam.reference("model.eagle"), short_path(Path(path))
    arrays = weights.read(path).arrays
    words = _vocabulary(arrays, target.config, where)
    arrays = weights.check(arrays, model.shapes(target.config), where)
    return model.eagle(arrays, target, words)


def mtp(path: str | Path, target: Any) -> Any:
    """The module for a network. Bad as above."""
    model, where = seam.reference("model.mtp"), short_path(Path(path))
    needed = model.shapes(target.config)
    return model.mtp(weights.check(weights.read(path).arrays, needed, where), target)


def _vocabulary(arrays: dict[str, Array], config: Any, where: str) -> Any:
    """The draft's own words, taken from the arrays; None: all of the target's."""
    module = seam.reference("model.reduced")
    if (offsets := arrays.pop(module.NAME, None)) is None:
        return None
    try:
        return module.Vocabulary.published(offsets, config.vocab)
    except ValueError as error:
        raise Bad(f"{where}: {module.NAME} {error}; train anew") from None
