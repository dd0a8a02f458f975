"""The decode loop, batched: reference/decode for B requests side by side.

Each has its own prompt, drafts and acceptance, and ends when it does; all share the
passes. Every request says what its reference says with the same coins.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import pad

from .layout import unpack
from .logits import Filters, Setting
from .model.transformer import Transformer
from .rows import select
from .verified import Verified

Texts = Sequence[Sequence[int]]


class Drafted(NamedTuple):
    """What is proposed: tokens and parents (B, N), padded with -1; lengths (B,).

    q: (B, N, V) the logits that each token was drawn from; None if nothing was drawn.
    """

    tokens: Tensor
    parents: Tensor
    lengths: Tensor
    q: Tensor | None


class Coins(NamedTuple):
    """Of one step, for the rule: see `batch.batched`."""

    accept: Tensor
    sample: Tensor
    race: Tensor | None = None


class Luck(Protocol):
    """`draft`: uniforms (B, k) of a step's drafts. `judge`: coins for so many nodes,
    after texts of these lengths.
    """

    def draft(self, step: int, k: int) -> Tensor: ...
    def judge(self, step: int, lengths: Sequence[int], nodes: int) -> Coins: ...


class Drafter(Protocol):
    """As in reference/decode, of whole texts; `most` tokens in depth for each.

    No two children of a node are alike. observe: which nodes (B, N) were kept.
    """

    def begin(self, texts: Texts) -> None: ...
    def propose(self, texts: Texts, most: Sequence[int], coins: Tensor) -> Drafted: ...
    def observe(self, kept: Tensor) -> None: ...


class Step(NamedTuple):
    """What each request emitted, and how many drafted tokens were kept for it."""

    emitted: list[list[int]]
    accepted: list[int]


def decode(
    target: Transformer,
    drafter: Drafter,
    verify: Callable[..., Verified],
    prompts: Texts,
    *,
    k: int,
    luck: Luck,
    max_tokens: int,
    stop: frozenset[int] = frozenset(),
    temperature: Setting | None = None,
    filters: Filters | None = None,
) -> Iterator[Step]:
    """Emit up to `max_tokens` tokens after each prompt, or through its first in `stop`.

    Requests that are done emit nothing more. ValueError: an empty prompt, no slots.
    """
    if not all(map(len, prompts)):
        raise ValueError("an empty prompt: give at least one token to go on from")
    texts = [[*prompt] for prompt in prompts]
    read(target, [text[:-1] for text in texts])
    drafter.begin([text[:-1] for text in texts])
    left, number = [max_tokens] * len(texts), 0
    while any(left):
        most = [max(0, min(k, each - 1)) for each in left]
        drafts = drafter.propose(texts, most, luck.draft(number, k))
        p = _scored(target, texts, drafts)
        coins = luck.judge(number, [*map(len, texts)], drafts.tokens.shape[1])
        block = verify(
            p, drafts.q, drafts.tokens, drafts.parents, drafts.lengths, *coins,
            logits=True, temperature=temperature, filters=filters,
        )  # fmt: skip
        kept, going = nodes(drafts, block), [[each > 0] for each in left]
        root = torch.tensor(going, device=kept.device)
        target.keep(packed(torch.cat([root, kept], 1)))
        drafter.observe(kept)
        yield Step(_taken(texts, left, stop, block), kept.sum(1).tolist())
        number += 1


def read(model: Transformer, texts: Texts) -> None:
    """Make texts of different lengths the context."""
    tokens = padded(texts, model.embedding.device)
    order = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
    model.extend(tokens, order - 1)
    model.keep(torch.where(tokens >= 0, order, -1))


def padded(texts: Texts, device: torch.device) -> Tensor:
    """Side by side (B, n), the shorter ones followed by -1."""
    longest = max(map(len, texts))
    rows = [[*text, *[-1] * (longest - len(text))] for text in texts]
    return torch.tensor(rows, dtype=torch.long, device=device).view(len(texts), longest)


def _scored(target: Transformer, texts: Texts, drafts: Drafted) -> Tensor:
    """Logits (B, N + 1, V) after the last token of each text, and after each node."""
    last = torch.tensor([[text[-1]] for text in texts], device=drafts.tokens.device)
    tokens = torch.cat([last, drafts.tokens], 1)
    parents = pad(drafts.parents + 1, (1, 0), value=-1)
    return target.extend(tokens, parents)[0][:, 1:]


def _taken(
    texts: list[list[int]], left: list[int], stop: frozenset[int], block: Verified
) -> list[list[int]]:
    """What of the blocks is text; `texts` and `left` say so from now on."""
    emitted = []
    for b, tokens in enumerate(unpack(*block)):
        said = until(stop, tokens[: left[b]])
        texts[b] += said
        over = bool(said) and said[-1] in stop
        left[b] = 0 if over else left[b] - len(said)
        emitted.append(said)
    return emitted


def nodes(drafts: Drafted, block: Verified) -> Tensor:
    """Which nodes (B, N) bear the tokens of each block but the last."""
    kept = torch.zeros_like(drafts.tokens, dtype=torch.bool)
    depth = torch.zeros_like(drafts.lengths)
    end = torch.zeros_like(depth)
    for i, token in enumerate(drafts.tokens.unbind(1)):
        below = (drafts.parents[:, i] == end - 1) & (i < drafts.lengths)
        borne = (token == select(block.tokens, depth)) & (depth + 1 < block.count)
        kept[:, i] = below & borne
        depth = depth + kept[:, i]
        end = torch.where(kept[:, i], i + 1, end)
    return kept


def packed(kept: Tensor) -> Tensor:
    """The numbers of the nodes that are `kept` (B, M), in order, then -1."""
    order = torch.arange(kept.shape[1], device=kept.device).expand_as(kept)
    beyond = kept.shape[1]
    first = torch.where(kept, order, beyond).sort(1).values
    return torch.where(first < beyond, first, -1)


def until(stop: frozenset[int], emitted: list[int]) -> list[int]:
    """The tokens up to the first that stops, which is emitted itself."""
    ends = (i + 1 for i, token in enumerate(emitted) if token in stop)
    return emitted[: next(ends, len(emitted))]
