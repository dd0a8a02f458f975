"""What every engine's speculative configuration says, in words of no engine.

Counts are of drafted tokens: the root of a tree, which the target emitted itself, is
none of them, whatever an engine's own option counts.
"""

import operator
from dataclasses import dataclass, field

from specsim.errors import Bad

LONGEST = 1000
"""Tokens drafted a step, and nodes a level may branch into."""
WIDEST = 1024
"""Tokens of an n-gram that is looked up."""
MOST_GPUS = 4096
MOST_LETTERS = 500

DRAFTERS = {
    "draft-model": "a smaller model of the same vocabulary",
    "eagle": "an EAGLE head: one layer on the target's last hidden state",
    "eagle3": "an EAGLE-3 head: one layer on hidden states of three depths",
    "mtp": "the multi-token-prediction layers that came with the model",
    "medusa": "Medusa heads, one a position",
    "dflash": "a DFlash model, which drafts a block in one pass",
    "pard": "a PARD model, which drafts in one pass over mask tokens",
    "prompt-lookup": "what followed when the last few tokens stood in the text before",
    "suffix": "the same by the longest suffix, other texts included",
}
MODELLESS = "prompt-lookup", "suffix"
SEPARATE = "draft-model", "eagle", "eagle3", "medusa", "dflash", "pard"
BRANCHING = "draft-model", "eagle", "eagle3", "mtp", "medusa", "prompt-lookup"


@dataclass(frozen=True)
class Tree:
    """A draft that branches: `topk` children a node at most, `nodes` in all."""

    topk: int
    nodes: int


@dataclass(frozen=True)
class Setup:
    """One engine configured to speculate; None is what the configuration leaves open.

    drafter:         a name of `DRAFTERS`.
    k:               tokens drafted one after another: of a tree, how deep it is.
    draft_model:     its hub id or path, where it is one of its own.
    tree:            None for a chain.
    window:          shortest and longest n-gram that is looked up.
    min_probability: below it the drafter stops early.
    target:          hub id or path of the model.
    tensor_parallel, draft_tensor_parallel: GPUs each model is divided over.
    left_out:        options that were read and are not in the fields above.
    """

    drafter: str
    k: int | None = None
    draft_model: str | None = None
    tree: Tree | None = None
    window: tuple[int, int] | None = None
    min_probability: float | None = None
    target: str | None = None
    tensor_parallel: int | None = None
    draft_tensor_parallel: int | None = None
    left_out: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Bad names the field at fault."""
        if self.drafter not in DRAFTERS:
            raise Bad(f"drafter {self.drafter!r}: choose from {', '.join(DRAFTERS)}")
        _whole("k", self.k, LONGEST)
        _whole("tensor_parallel", self.tensor_parallel, MOST_GPUS)
        _whole("draft_tensor_parallel", self.draft_tensor_parallel, MOST_GPUS)
        _named("target", self.target)
        _named("draft_model", self.draft_model)
        self._check_model()
        self._check_tree()
        self._check_window()
        share = self.min_probability
        if share is not None and not (type(share) is float and 0 <= share <= 1):
            raise Bad(f"min_probability {share!r}: give a number from 0 to 1")

    def _check_model(self) -> None:
        if self.drafter in SEPARATE and self.draft_model is None:
            raise Bad(f"drafter {self.drafter}: name its draft model")
        if self.drafter in MODELLESS and self.draft_model is not None:
            raise Bad(f"drafter {self.drafter}: leave the draft model out, it has none")

    def _check_tree(self) -> None:
        if self.tree is None:
            return
        if self.drafter not in BRANCHING:
            raise Bad(f"drafter {self.drafter}: leave the tree out, it drafts chains")
        _whole("tree.topk", self.tree.topk, LONGEST, least=2)
        if self.k is None:
            raise Bad("tree: say how deep it is, with k")
        _whole("tree.nodes", self.tree.nodes, LONGEST, least=self.k)

    def _check_window(self) -> None:
        if self.window is None:
            return
        if self.drafter not in MODELLESS:
            raise Bad(f"drafter {self.drafter}: leave the window out, it looks up none")
        shortest, longest = self.window
        _whole("window", longest, WIDEST)
        _whole("window", shortest, longest)


def _whole(name: str, value: int | None, most: int, least: int = 1) -> None:
    if value is None:
        return
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not least <= number <= most:
        raise Bad(f"{name} {value!r}: give a whole number from {least} to {most:,}")


def _named(name: str, value: str | None) -> None:
    if value is None:
        return
    plain = isinstance(value, str) and 0 < len(value) <= MOST_LETTERS
    if (
        not plain
        or value[0] == "-"
        or not value.isprintable()
        or value != value.strip()
    ):
        shown = repr(value)[:60]
        raise Bad(f"{name} {shown}: give a hub id or a path, on one line")
