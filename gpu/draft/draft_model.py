"""A small model drafts chains, batched: the twin of reference/draft/draft_model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ..decode import Drafted, Texts, packed, padded, read
from ..logits import Filters, Setting, process
from ..model.transformer import Transformer
from ..rows import categorical, select


class DraftModel:
    """Draws a chain for each request; temperature and filters as the target's.

    The last token of a draft is not fed to the model: where all are kept it comes with
    the next text.
    """

    def __init__(
        self,
        model: Transformer,
        temperature: Setting | None = None,
        filters: Filters | None = None,
    ):
        self.model, self.temperature, self.filters = model, temperature, filters

    def begin(self, texts: Texts) -> None:
        """Read the prompts."""
        read(self.model, texts)
        self._read = torch.tensor([*map(len, texts)])

    def propose(self, texts: Texts, most: Sequence[int], coins: Tensor) -> Drafted:
        """A chain of `most` tokens for each; coins (B, k) by place."""
        new = [text[n:] for text, n in zip(texts, self._read.tolist(), strict=True)]
        tokens = padded(new, coins.device)
        at = torch.tensor([*map(len, new)], device=coins.device)
        order = torch.arange(tokens.shape[1], device=coins.device)
        self._new = order < at[:, None]
        parents, end = (order - 1).expand_as(tokens), at - 1
        drawn = tokens.new_empty(len(texts), max(most))
        q = self.model.embedding.new_empty(*drawn.shape, self.model.config.vocab)
        for i in range(max(most)):
            logits = select(self.model.extend(tokens, parents)[0], at)
            row = process(logits[:, None], self.temperature, self.filters)[:, 0]
            drawn[:, i], q[:, i] = categorical(row, coins[:, i]), logits
            tokens, parents, at = drawn[:, i, None], end[:, None], torch.ones_like(at)
            end = torch.full_like(end, len(order) + i)
        lengths = torch.tensor(most, device=drawn.device)
        order = torch.arange(max(most), device=drawn.device)
        chains = torch.where(order < lengths[:, None], drawn, -1)
        return Drafted(chains, (order - 1).expand_as(drawn), lengths, q)

    def observe(self, kept: Tensor) -> None:
        """The text that was read is context now, and what was kept of the drafts."""
        if kept.shape[1]:
            path = packed(torch.cat([self._new, kept[:, :-1]], 1))
            self.model.keep(path)
            self._read = self._read + (path >= 0).sum(1).cpu()
