"""Drafters that look up in the text, one for each request: they need no tensors."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..decode import Drafted, Texts, padded


class Lookups:
    """One drafter of reference/draft for each request, which asks for no coins."""

    def __init__(self, drafters: Iterable[Any]):
        self.drafters = [*drafters]

    def begin(self, texts: Texts) -> None:
        """Nothing to do."""

    def propose(self, texts: Texts, most: Sequence[int], coins: Tensor) -> Drafted:
        """What each looks up, at most so deep."""
        each = zip(self.drafters, texts, most, strict=True)
        made = [drafter.propose(text, k, None) for drafter, text, k in each]
        tokens = padded([one.tokens for one in made], coins.device)
        parents = padded([one.parents for one in made], coins.device)
        lengths = torch.tensor([len(one.tokens) for one in made], device=coins.device)
        return Drafted(tokens, parents, lengths, None)

    def observe(self, kept: Tensor) -> None:
        """Nothing to do: the text says it all."""
