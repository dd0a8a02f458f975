"""A local model that says what the rows should be: our own transformer, in float64."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim import pretrained, seam
from specsim.generation.models import endings
from specsim.generation.words import Numbers
from specsim.oracle.http.ask import Ask
from specsim.oracle.probe import pair
from specsim.seam import proposal

Array = NDArray[np.float64]
PROBE = "probe"
NODES = 256
"""Nodes of a tree that are scored in one pass."""


class Reference:
    """The law that a server must keep.

    vocab:         how many tokens it has. ends: tokens that end a text.
    counts_prompt: whether presence and frequency penalties count the prompt as well.
    """

    counts_prompt = False

    def __init__(self, model: str):
        """A folder or a file that `specsim generate --target` takes, or "probe"."""
        if model == PROBE:
            config, arrays = pair.target()
            self.ends = frozenset({pair.END})
        else:
            config, arrays = pretrained.load(model)
            self.ends = endings(Path(model).expanduser(), Numbers())
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        self._network = seam.reference("model.transformer").Transformer(config, wide)
        self.vocab = int(config.vocab)

    def rows(
        self, ask: Ask, prefixes: Iterable[tuple[int, ...]]
    ) -> dict[tuple[int, ...], Array]:
        """By prefix of the answer, the row (V,) from which the next token is drawn."""
        process = seam.reference("logits").process
        sampling = sampled(ask)
        size = 0 if self.counts_prompt else len(ask.prompt)
        return {
            prefix: process(logits, sampling, (*ask.prompt, *prefix), size)
            for prefix, logits in self._logits(ask.prompt, prefixes).items()
        }

    def impossible(
        self, ask: Ask, prefix: tuple[int, ...], token: int, slack: float
    ) -> bool:
        """Whether a token has no odds even with its logit raised by so many nats: at
        the border of a filter numerics may let one token more in.
        """
        raised = ask.logit_bias | {token: ask.logit_bias.get(token, 0.0) + slack}
        row = self.rows(ask.but(logit_bias=raised), [prefix])[prefix]
        return not row[token] > 0

    def _logits(
        self, prompt: Sequence[int], prefixes: Iterable[tuple[int, ...]]
    ) -> dict[tuple[int, ...], Array]:
        wanted = sorted({*prefixes}, key=lambda prefix: (len(prefix), prefix))
        network = self._network.fresh()
        network.extend(prompt[:-1], range(-1, len(prompt) - 2))
        network.keep(range(len(prompt) - 1))
        made = {}
        for start in range(0, len(wanted), NODES):
            part = wanted[start : start + NODES]
            tree = proposal.trie(part)
            logits, _ = network.extend(*_below(prompt[-1], tree))
            for prefix in part:
                made[prefix] = logits[1:][(tree.at(prefix) or 0) + 1 if prefix else 0]
            network.keep(())
        return made


def _below(token: int, tree: Any) -> tuple[list[int], list[int]]:
    made: tuple[list[int], list[int]]
    made = seam.reference("decode").behind(token, tree)
    return made


def sampled(ask: Ask) -> Any:
    """What an ask wants of each row (reference/logits.Sampling)."""
    return seam.reference("logits").Sampling(
        temperature=ask.temperature,
        top_k=ask.top_k,
        top_p=ask.top_p,
        min_p=ask.min_p,
        repetition=ask.repetition_penalty,
        presence=ask.presence_penalty,
        frequency=ask.frequency_penalty,
        logit_bias=ask.logit_bias,
    )
