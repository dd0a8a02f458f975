"""What a whole engine is asked: a case for each thing that may go wrong on its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.oracle.endtoend.request import Request
from specsim.oracle.exact import Tokens
from specsim.oracle.probe.pair import END, VOCAB

REPEATING: Tokens = (3, 4, 5, 6, 3, 4, 5, 6, 3, 4)
"""A prompt in which lookup drafters find what comes next."""
PROMPTS: tuple[Tokens, ...] = REPEATING, (9, 4, 12, 7, 15, 9, 4), (8,)
LENGTH, LONG = 8, 24
"""Tokens of a sampled text, some blocks long, and of a greedy one."""
STOP = 5
"""A token that is likely after most prefixes."""
SETTINGS: dict[str, dict[str, Any]] = {
    "temperature": {"temperature": 0.7},
    "top-k": {"top_k": 4},
    "top-p": {"top_p": 0.7},
    "min-p": {"min_p": 0.15},
    "repetition-penalty": {"repetition_penalty": 1.6},
    "presence-penalty": {"presence_penalty": 1.2},
    "frequency-penalty": {"frequency_penalty": 1.0},
    "logit-bias": {"logit_bias": {3: 2.0, 7: -3.0}},
    "combination": {
        "temperature": 0.8,
        "top_k": 6,
        "top_p": 0.9,
        "repetition_penalty": 1.3,
        "frequency_penalty": 0.4,
    },
}
"""What is changed in a case, by its name."""


@dataclass(frozen=True)
class Case:
    """Requests that are asked again and again, with seeds of their own."""

    name: str
    asks: tuple[Request, ...]

    @property
    def greedy(self) -> bool:
        """Whether there is nothing to draw, so that asking once is enough."""
        return all(ask.temperature == 0 for ask in self.asks)


def cases(honoured: frozenset[str], ends: tuple[int, ...] = ()) -> list[Case]:
    """Those that change nothing but what is honoured.

    ends: tokens at which the engine stops anyway.
    logprobs come first: they show how exactly the engine computes.
    """

    def changes(case: Case) -> set[str]:
        return {name for ask in case.asks for name in ask.changed}

    every = _every(ends or (STOP,))
    made = [case for case in every if changes(case) <= honoured]
    return [*made, Case("mixed-batch", tuple(_mixed(honoured)))]


def sampled(**settings: Any) -> tuple[Request, ...]:
    """One request for each prompt."""
    return tuple(Request(prompt, LENGTH, **settings) for prompt in PROMPTS)


def _every(stop: tuple[int, ...]) -> Iterator[Case]:
    yield Case("logprobs", sampled(logprobs=True))
    yield Case("greedy", tuple(_greedy()))
    yield Case("greedy-repetition", tuple(_greedy(repetition_penalty=1.4)))
    yield Case("greedy-frequency", tuple(_greedy(frequency_penalty=0.8)))
    yield Case("sampled", sampled())
    for name, settings in SETTINGS.items():
        yield Case(name, sampled(**settings))
    yield Case("stop-tokens", sampled(stop_token_ids=stop))
    lengths = [Request(prompt, most) for prompt in PROMPTS for most in range(1, 8)]
    yield Case("max-tokens", tuple(lengths))


def _mixed(honoured: frozenset[str]) -> Iterator[Request]:
    """Neighbours in a batch that ask for different things, as far as the engine can."""
    for n, settings in enumerate([{}, {"temperature": 0.0}, *SETTINGS.values()]):
        if settings.keys() <= honoured:
            prompt = PROMPTS[n % len(PROMPTS)]
            yield Request(prompt, LENGTH - n % 3, **settings)


def _greedy(**settings: Any) -> Iterator[Request]:
    """Many prompts: there is one text for each."""
    rng = np.random.default_rng(1)
    lengths = range(2, 14)
    more = [tuple(rng.integers(END + 1, VOCAB, n).tolist()) for n in lengths]
    for prompt in (*PROMPTS, *more):
        yield Request(prompt, LONG, temperature=0.0, **settings)
