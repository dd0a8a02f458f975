"""What the stub serves: the probe pair through our own decode loop, with speculation.

Nothing is shared between requests but the weights, a number for each that asks for no
seed, and the counts.
"""

import itertools
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim import seam
from specsim.generation import request as requests
from specsim.generation.drafting import Nothing
from specsim.generation.run import Run, running
from specsim.oracle.http.ask import Ask
from specsim.oracle.probe import pair
from specsim.rules import RULES

DEPTH = 3
SPECIAL = 3
"""Tokens that are no text: unknown, begin, end."""


class Letters:
    """The probe's words, the special ones left out."""

    def encode(self, text: str) -> list[int]:
        """Letters that are no word are unknown."""
        words = pair.WORDS
        return [words.index(c) if c in words else pair.UNKNOWN for c in text]

    def text(self, tokens: Sequence[int]) -> str:
        """The letters, one after the other."""
        return "".join(pair.WORDS[token] for token in tokens if token >= SPECIAL)


@dataclass(frozen=True)
class Served:
    """A text, and the target's whole rows at each of its tokens (n, V), in nats."""

    run: Run
    rows: NDArray[Any]


class Engine:
    """Decodes; `plain` without a draft."""

    def __init__(self, plain: bool = False, seed: int = 0):
        build = seam.reference("model.transformer").Transformer
        self.target, self.draft = build(*pair.target()), build(*pair.draft())
        self.plain, self.words = plain, Letters()
        self.counts: Counter[str] = Counter()
        self.flying: list[Ask] = []
        self._seeds = itertools.count(seed * 2**32)
        self._lock = threading.Lock()

    def serve(self, ask: Ask, llama: bool = False) -> list[Served]:
        """Each answer; Bad where the request makes no sense.

        llama: penalties count the prompt and the temperature comes last, as there.
        """
        with self._flown(ask):
            return [self._decoded(ask, i, llama) for i in range(ask.count)]

    @contextmanager
    def _flown(self, ask: Ask) -> Iterator[None]:
        with self._lock:
            self.flying.append(ask)
        try:
            yield
        finally:
            with self._lock:
                self.flying.remove(ask)

    def _decoded(self, ask: Ask, number: int, llama: bool) -> Served:
        asked = self._request(ask, self._seed(ask, number))
        sampled = temperature_last if llama else seam.reference("model.sampled").Sampled
        size = len(asked.prompt)
        target = Watched(sampled(self.target.fresh(), asked.sampling, size))
        draft = sampled(self.draft.fresh(), asked.sampling, size)
        rule = RULES["chain"]
        drafter = seam.reference("draft.draft_model").DraftModel(draft)
        if self.plain:
            drafter = Nothing(rule, pair.VOCAB)
        rows: list[NDArray[Any]] = []
        for run in running(asked, target, drafter, rule, self.words):
            rows += [*target.rows[: len(run.emitted) - len(rows)]]
        self._count(run)
        with np.errstate(divide="ignore"):
            return Served(run, np.log(np.array(rows)))

    def _seed(self, ask: Ask, number: int) -> int:
        """That of one answer of a request."""
        with self._lock:
            fresh = next(self._seeds)
        return fresh if ask.seed is None else ask.seed + number

    def _request(self, ask: Ask, seed: int) -> requests.Request:
        made = requests.request(
            ask.prompt,
            self.words,
            pair.VOCAB,
            most=ask.max_tokens,
            k=DEPTH,
            seed=seed,
            stop=ask.stop,
            ends={pair.END, *ask.stop_token_ids},
            temperature=ask.temperature,
            top_k=ask.top_k,
            top_p=ask.top_p,
            min_p=ask.min_p,
            repetition=ask.repetition_penalty,
            presence=ask.presence_penalty,
            frequency=ask.frequency_penalty,
            logit_bias=ask.logit_bias,
        )
        if not ask.choice:
            return made
        texts = [tuple(self.words.encode(text)) for text in ask.choice]
        return replace(made, sampling=replace(made.sampling, allowed=one_of(texts)))

    def _count(self, run: Run) -> None:
        tally = run.tally
        with self._lock:
            self.counts["served"] += 1
            self.counts["drafts"] += tally.reached[0]
            self.counts["draft_tokens"] += tally.drafted
            self.counts["accepted_tokens"] += tally.accepted


class Watched:
    """A model, and the rows it gave last, the root's left out."""

    def __init__(self, model: Any):
        self._model = model
        self.rows: NDArray[Any] = np.empty((0, pair.VOCAB))

    def extend(self, tokens: Sequence[int], parents: Sequence[int]) -> Any:
        """As the model's."""
        rows, hidden = self._model.extend(tokens, parents)
        self.rows = rows[1:]
        return rows, hidden

    def keep(self, path: Sequence[int]) -> None:
        """As the model's."""
        self._model.keep(path)


class TemperatureLast:
    """Rows filtered at temperature 1, and then tempered."""

    def __init__(self, model: Any, temperature: float):
        self._model, self._temperature = model, temperature

    def extend(self, tokens: Sequence[int], parents: Sequence[int]) -> Any:
        """As the model's."""
        rows, hidden = self._model.extend(tokens, parents)
        with np.errstate(divide="ignore"):
            logs = np.log(rows)
        return seam.reference("logits").softmax(logs, self._temperature), hidden

    def keep(self, path: Sequence[int]) -> None:
        """As the model's."""
        self._model.keep(path)


def temperature_last(network: Any, sampling: Any, prompt_length: int) -> Any:
    """A network under sampling parameters as llama.cpp understands them."""
    grammar = sampling.allowed
    after = grammar and (lambda text: grammar(text[prompt_length:]))
    first = replace(sampling, temperature=1.0, allowed=after)
    made = seam.reference("model.sampled").Sampled(network, first, 0)
    return TemperatureLast(made, sampling.temperature)


def one_of(texts: Sequence[tuple[int, ...]]) -> Any:
    """A grammar: one of these token sequences, then the end."""

    def allowed(prefix: tuple[int, ...]) -> NDArray[np.bool_]:
        mask = np.zeros(pair.VOCAB, dtype=np.bool_)
        for text in texts:
            if text[: len(prefix)] == prefix:
                mask[(*text, pair.END)[len(prefix)]] = True
        if not mask.any():
            mask[pair.END] = True
        return mask

    return allowed
