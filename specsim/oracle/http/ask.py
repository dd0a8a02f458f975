"""What a server is asked, and what it said: one form for every dialect."""

from dataclasses import dataclass, field, replace
from typing import Any

from specsim.errors import Bad
from specsim.roofline.fields import short

LARGEST = 2**24
"""No vocabulary is so large."""
ROUNDING = 1e-3
"""Nats by which a logprob may be above 0."""


@dataclass(frozen=True)
class Ask:
    """One request; the defaults change nothing. None: not sent.

    prompt:  token ids. count: how many answers, each drawn anew.
    top:     of how many tokens beside the drawn one the logprobs are to be told.
    choice:  texts of which the answer must be one.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: dict[int, float] = field(default_factory=dict, hash=False)
    stop_token_ids: tuple[int, ...] = ()
    stop: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()
    seed: int | None = None
    count: int = 1
    top: int | None = None

    def but(self, **changed: Any) -> "Ask":
        """The same with other fields."""
        return replace(self, **changed)


@dataclass(frozen=True)
class Reply:
    """One answer, checked; None where the server does not say.

    ended:   "length", "stop" (a stop string or token), or what the server calls it.
    tops:    by position, logprobs by token id.
    drafted, accepted: of the whole text, where this answer alone was counted.
    """

    text: str
    ended: str
    tokens: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    tops: tuple[dict[int, float], ...] | None = None
    drafted: int | None = None
    accepted: int | None = None
    counted: int | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens, of a server that was found to tell them. Bad: not this time."""
        if self.tokens is None:
            raise Bad("the server told token ids before, and now it does not")
        return self.tokens


def ids(where: str, given: Any) -> tuple[int, ...]:
    """A list of token ids as a server gives it."""
    if not isinstance(given, list):
        raise Bad(f"{where}: {short(given)} is no list of token ids")
    for token in given:
        if type(token) is not int or not 0 <= token < LARGEST:
            raise Bad(f"{where}: {short(token)} is no token id of any vocabulary")
    return tuple(given)


def logprob(where: str, given: Any) -> float:
    """A logprob as a server gives it; -inf is one, NaN is not."""
    if given is None or given == "-Infinity":
        return float("-inf")
    if type(given) not in (int, float) or given != given or given > ROUNDING:
        raise Bad(f"{where}: {short(given)} is no logprob")
    return float(given)
