"""What `specsim train` writes for a target, read back as what drafters are made of."""

import json
from pathlib import Path
from typing import Any

from specsim import seam, weights
from specsim.errors import Bad
from specsim.roofline.fields import short_path

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
    heads = sum(name.endswith(".linear.bias") for name in stored.arrays)
    arrays = weights.check(stored.arrays, model.shapes(config, heads), where)
    try:
        rates = [[*map(float, row)] for row in json.loads(stored.metadata["rates"])]
        tree = seam.reference("draft.medusa").likeliest(rates, nodes)
    except (KeyError, ValueError, TypeError, IndexError):
        raise Bad(f"{where}: the header lacks the heads' rates; train anew") from None
    return model.Medusa(arrays), tree


def eagle(path: str | Path, target: Any) -> Any:
    """The draft on the features of a network. Bad as above."""
    return _on_features("eagle", path, target)


def mtp(path: str | Path, target: Any) -> Any:
    """The module for a network. Bad as above."""
    return _on_features("mtp", path, target)


def _on_features(stem: str, path: str | Path, target: Any) -> Any:
    module, where = seam.reference(f"model.{stem}"), short_path(Path(path))
    shapes = module.shapes(target.config)
    arrays = weights.check(weights.read(path).arrays, shapes, where)
    return getattr(module, stem)(arrays, target)
