"""economize's verifiers, behind the contract: chains and trees of draft tokens.

`typical` is lossy by design.
"""

from typing import Any

import numpy as np
import torch
from economize.decoding.protocols import Draft
from economize.decoding.verifiers import RejectionVerifier, TypicalVerifier

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import block, logits, probs

Array = np.ndarray[Any, Any]
HISTORY = torch.zeros(0)


class Sampling:
    """Plain sampling at temperature 1, as their verifiers ask for it."""

    greedy = False

    def distribution(self, scores: torch.Tensor, history: torch.Tensor) -> torch.Tensor:
        return torch.softmax(scores, -1)

    def distributions(self, scores: torch.Tensor) -> torch.Tensor:
        return torch.softmax(scores, -1)

    def __call__(self, scores: torch.Tensor, history: torch.Tensor) -> int:
        return int(torch.multinomial(self.distribution(scores, history), 1))


class Rejection:
    """`RejectionVerifier`: a chain, and a tree of which each child has its own q."""

    accepts = frozenset({"q_none"})
    kinds = frozenset({"iid", "fixed", "without_replacement"})

    def __init__(self) -> None:
        self.theirs = object.__new__(RejectionVerifier)  # its rules read no settings

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        rows = None if q is None else probs(q)
        asked = logits(p), tokens.tolist(), rows, Sampling(), HISTORY, 0
        with given(rng):
            return block(tokens, *self.theirs.verify(*asked))

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        drafted, above = torch.from_numpy(tokens)[None], torch.from_numpy(parents)[None]
        draft = Draft(drafted, [len(tokens)], above, probs(q)[None])
        with given(rng):
            (path,), (last,) = self.theirs.verify_tree(
                logits(p)[None], draft, Sampling()
            )
        return block(tokens[path], len(path), last)


class Batched(Rejection):
    """The same rule as it is written for batches."""

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        rows = None if q is None else probs(q)[None]
        draft = Draft(torch.from_numpy(tokens)[None], [len(tokens)], probs=rows)
        asked = logits(p)[None], draft, Sampling(), HISTORY, [0]
        with given(rng):
            kept, last = self.theirs.verify_batch(*asked)
        return block(tokens, kept, last)

    verify_tree = None  # type: ignore[assignment]


def typical(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `TypicalVerifier` at its own default options."""
    theirs = object.__new__(TypicalVerifier)
    theirs.threshold = TypicalVerifier.default_options["threshold"]
    theirs.alpha = TypicalVerifier.default_options["alpha"]
    asked = logits(p), tokens.tolist(), None, Sampling(), HISTORY, 0
    with given(rng):
        return block(tokens, *theirs.verify(*asked))
