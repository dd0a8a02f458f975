"""Text of the model's own, for its drafts to learn on: greedy and drawn, by turns.

Kim and Rush 2016, Sequence-Level Knowledge Distillation,
https://arxiv.org/abs/1606.07947.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from specsim import seam, weights
from specsim.pretrained import Pretrained

BATCH, NEW = 48, 128
"""Texts side by side, and tokens of each, if it does not end before."""
WARM = 0.8
"""The temperature of every second text; the others are greedy."""
SLOTS = 512
Prompts = Iterator[list[int]]


class Own(NamedTuple):
    """Tokens (n,), and the hidden states (n, D) that the model had after each of them,
    in half precision.
    """

    tokens: Tensor
    hidden: Tensor


def written(
    whom: Pretrained, prompts: Prompts, end: int, count: int, seed: int
) -> Iterator[Own]:
    """Prompts and how the model goes on, to the end token if it comes: one text after
    another, until at least `count` tokens are there.
    """
    model = seam.gpu("model.transformer").Transformer(
        whom.config, whom.arrays, BATCH, SLOTS, torch.bfloat16
    )
    chance, made = seam.gpu("train.luck").luck("own text", seed), 0
    while made < count:
        given = [torch.tensor(prompt) for prompt in islice(prompts, BATCH)]
        for own in _continued(model, given, end, chance):
            made += len(own.tokens)
            yield own


@torch.inference_mode()
def _continued(
    model: Any, given: list[Tensor], end: int, chance: torch.Generator
) -> list[Own]:
    """Each prompt, and up to NEW tokens after it."""
    model.clear()
    tokens = pad_sequence(given, batch_first=True, padding_value=-1)
    nodes = torch.arange(tokens.shape[1]).expand_as(tokens).where(tokens >= 0, -1)
    seen = [model.extend(tokens, (nodes - 1).clamp(min=-1))[1][:, 1:].half()]
    model.keep(nodes)
    logits = model.extend(tokens[:, :0], tokens[:, :0])[0]
    ended = torch.zeros(len(given), dtype=torch.bool)
    while len(seen) <= NEW and not ended.all():
        new = _drawn(logits[:, -1], chance)
        ended |= new == end
        tokens = torch.cat([tokens, new[:, None]], 1)
        logits, hidden = model.extend(new[:, None], torch.full_like(new, -1)[:, None])
        model.keep(torch.zeros_like(new)[:, None])
        seen.append(hidden[:, 1:].half())
    hidden = torch.cat(seen, 1)
    return [
        _whole(*each, nodes.shape[1], end) for each in zip(tokens, hidden, strict=True)
    ]


def _drawn(logits: Tensor, chance: torch.Generator) -> Tensor:
    """The likeliest tokens, and in every second row one that is drawn."""
    tokens = logits.argmax(-1)
    rows = (logits[1::2].float() / WARM).softmax(-1)
    tokens[1::2] = torch.multinomial(rows, 1, generator=chance)[:, 0]
    return tokens


def _whole(tokens: Tensor, hidden: Tensor, prompt: int, end: int) -> Own:
    """One row without what pads its prompt, and what comes after its end."""
    stops = (tokens[prompt:] == end).nonzero()
    last = prompt + int(stops[0]) + 1 if len(stops) else len(tokens)
    inside = tokens[:last] >= 0
    return Own(tokens[:last][inside], hidden[:last][inside])


def kept(file: Path, texts: Iterator[Own]) -> Own:
    """All of them in a row, in a file that is not made twice."""
    if not file.exists():
        tokens, hidden = zip(*texts, strict=True)
        arrays = {"tokens": torch.cat(tokens).int(), "hidden": torch.cat(hidden)}
        weights.save(file, {name: each.numpy() for name, each in arrays.items()}, {})
    found = weights.read(file).arrays
    return Own(torch.tensor(found["tokens"]), torch.tensor(found["hidden"]).half())
