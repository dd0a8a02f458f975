"""The models in the wheel: a small target that writes Python, and drafts for it.

Made by `python -m tools.embedded`; see data/weights/README.md.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from specsim import pretrained, seam, tokens, trained
from specsim.tokens import Tokenizer

FOLDER = Path(__file__).parent / "data" / "weights"
TARGET, DRAFT, MEDUSA, EAGLE, MTP = (
    f"{name}.safetensors" for name in ("target", "draft", "medusa", "eagle", "mtp")
)
PROMPT = 'import os\n\ndef main(argv):\n    """Print the size of each file.'


class Embedded(NamedTuple):
    """Networks (reference/model) that have read nothing yet.

    draft:      a smaller model of the same tokens.
    heads:      Medusa's, and the tree of ranks to fill.
    eagle, mtp: drafts between the target's embedding and its head.
    """

    tokenizer: Tokenizer
    target: Any
    draft: Any
    heads: Any
    tree: list[tuple[int, ...]]
    eagle: Any
    mtp: Any


def load(
    build: Callable[[Any, Any], Any] | None = None, folder: Path = FOLDER
) -> Embedded:
    """All of them; `build` makes a network of a config and arrays, in NumPy if None.

    Bad, in one line: a file is missing or damaged.
    """
    build = build or seam.reference("model.transformer").Transformer
    target = build(*pretrained.load(folder / TARGET))
    heads, tree = trained.medusa(folder / MEDUSA, target.config)
    return Embedded(
        tokenizer=tokens.load(folder / tokens.FILE),
        target=target,
        draft=build(*pretrained.load(folder / DRAFT)),
        heads=heads,
        tree=tree,
        eagle=trained.eagle(folder / EAGLE, target),
        mtp=trained.mtp(folder / MTP, target),
    )
