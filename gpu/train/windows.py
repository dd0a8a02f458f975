"""Batches of a text in an order that the seed settles."""

from functools import lru_cache

import torch
from torch import Tensor

from .luck import luck


class Windows:
    """Windows of a text: each of them once an epoch, shuffled and shifted anew, or in
    the same places in each epoch if they are `fixed`.

    tokens: (n,) the text. length: of a window; one token more is given, so that each
    has one to foretell. batch: windows in a batch.
    ValueError: the text is too short for one batch.
    """

    def __init__(
        self, tokens: Tensor, length: int, batch: int, seed: int, fixed: bool = False
    ):
        self.fixed = fixed
        self.tokens, self.length, self.batch, self.seed = tokens, length, batch, seed
        self.windows = (len(tokens) - length) // length
        if self.windows < batch:
            need = (batch + 1) * length
            raise ValueError(f"{len(tokens)} tokens are too few: {need} are needed")
        self._epoch = lru_cache(1)(self._starts)

    def at(self, step: int) -> Tensor:
        """The batch of that step, (batch, length + 1): a function of seed and step."""
        epoch, place = divmod(step, self.windows // self.batch)
        starts = self._epoch(epoch)[place * self.batch :][: self.batch]
        return self.tokens[starts[:, None] + torch.arange(self.length + 1)].long()

    def _starts(self, epoch: int) -> Tensor:
        chance = luck("windows", self.seed, epoch)
        shift = torch.randint(self.length, (1,), generator=chance)
        order = torch.randperm(self.windows, generator=chance)
        return self.length * order + (0 if self.fixed else shift)
