"""What a whole engine is asked, and what it answers.

Both travel as plain dicts, to a Python engine, over HTTP and over the wire alike.
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import isfinite, isnan
from typing import Any

from specsim import seam
from specsim.errors import Bad
from specsim.generation.request import whole
from specsim.roofline.fields import short

MOST_TOKENS, SEEDS = 100_000, 2**31
NAMES = {
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "repetition_penalty": "repetition",
    "presence_penalty": "presence",
    "frequency_penalty": "frequency",
    "logit_bias": "logit_bias",
}
"""The sampling fields of a request, and what reference/logits.Sampling calls them."""
SURFACE = frozenset({*NAMES, "seed", "logprobs", "stop_token_ids"})
"""What an engine may say that it honours."""


@dataclass(frozen=True)
class Request:
    """One text to generate. The defaults change nothing; temperature 0 is greedy.

    prompt:         token ids, one or more.
    max_tokens:     exactly so many are emitted, unless a stop token ends the text.
    logit_bias:     finite numbers added to the logits of tokens.
    stop_token_ids: tokens that end the text; nothing is emitted after one.
    logprobs:       whether the answer is to say how likely each token was.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    seed: int = 0
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    stop_token_ids: tuple[int, ...] = ()
    logprobs: bool = False

    def __post_init__(self) -> None:
        """Bad, naming the field, where a value is out of its range."""
        for name in ("prompt", "stop_token_ids"):
            object.__setattr__(self, name, _tokens(f"request: {name}", self, name))
        if not self.prompt:
            raise Bad("request: an empty prompt; give at least one token id")
        whole("request: max_tokens", self.max_tokens, 1, MOST_TOKENS)
        whole("request: seed", self.seed, 0, SEEDS - 1)
        if not isinstance(self.logprobs, bool):
            raise Bad(f"request: logprobs {short(self.logprobs)}: give true or false")
        object.__setattr__(self, "logit_bias", _bias(self.logit_bias))
        _ = self.sampling

    @property
    def sampling(self) -> Any:
        """What is asked of each row, as a reference/logits.Sampling."""
        settings = {ours: getattr(self, name) for name, ours in NAMES.items()}
        try:
            return seam.reference("logits").Sampling(**settings)
        except ValueError as error:
            raise Bad(f"request: {error}") from None

    @property
    def changed(self) -> frozenset[str]:
        """The fields of the surface that are not neutral here, the seed apart."""
        neutral = Request(self.prompt, self.max_tokens)
        return frozenset(
            name
            for name in SURFACE - {"seed"}
            if getattr(self, name) != getattr(neutral, name)
        )

    def neutral(self, name: str) -> "Request":
        """The same with one field of the surface put back to its default."""
        return replace(self, **{name: getattr(Request((0,), 1), name)})

    def as_dict(self) -> dict[str, Any]:
        """Lists, dicts and numbers only."""
        made = asdict(self)
        return {**made, **{k: [*v] for k, v in made.items() if isinstance(v, tuple)}}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Request":
        """The request that such a dict describes. Bad: an unknown or missing field."""
        return cls(**_known("request", cls, given, {"prompt", "max_tokens"}))


@dataclass(frozen=True)
class Answer:
    """What an engine made of a request; None where it does not say.

    tokens:   those emitted, without the prompt; a stop token is in if it was emitted.
    logprobs: in nats, one for each token.
    drafted, accepted: drafted tokens in the whole text, and those of them kept.
    steps:    passes of the target after the prompt was read.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...] | None = None
    drafted: int | None = None
    accepted: int | None = None
    steps: int | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        """Bad, naming the field, where an engine breaks the contract."""
        object.__setattr__(self, "tokens", _tokens("answer: tokens", self, "tokens"))
        if self.logprobs is not None:
            object.__setattr__(self, "logprobs", _logprobs(self.logprobs, self.tokens))
        for name in ("drafted", "accepted", "steps"):
            if getattr(self, name) is not None:
                value = whole(f"answer: {name}", getattr(self, name), 0, 10**9)
                object.__setattr__(self, name, value)
        if self.text is not None and not isinstance(self.text, str):
            raise Bad(f"answer: text {short(self.text)}: give a string, or nothing")

    def within(self, vocab: int) -> "Answer":
        """The same. Bad: a token outside the vocabulary."""
        for token in self.tokens:
            if token >= vocab:
                raise Bad(
                    f"answer: token {token} is not in 0..{vocab - 1}: "
                    "give the ids of the probe model, without padding"
                )
        return self

    def as_dict(self) -> dict[str, Any]:
        """Lists and numbers only, without what the engine does not say."""
        made = {k: v for k, v in asdict(self).items() if v is not None}
        return {k: [*v] if isinstance(v, tuple) else v for k, v in made.items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Answer":
        """The answer that such a dict describes. Bad: an unknown or missing field."""
        return cls(**_known("answer", cls, given, {"tokens"}))


def _known(what: str, cls: type[Any], given: Any, needed: set[str]) -> dict[str, Any]:
    """The fields of a dict, all of them known and none missing."""
    if not isinstance(given, Mapping):
        raise Bad(f"{what}: {short(given)} is no dict of fields")
    known = [each.name for each in fields(cls)]
    for name in given:
        if name not in known:
            raise Bad(f"{what}: unknown field {short(name)}; use {', '.join(known)}")
    for name in sorted(needed - given.keys()):
        raise Bad(f"{what}: field {name} is missing")
    return dict(given)


def _tokens(what: str, holder: object, name: str) -> tuple[int, ...]:
    """The ids in a field, as plain ints."""
    given = getattr(holder, name)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise Bad(f"{what} {short(given)}: give a list of token ids")
    try:
        ids = tuple(operator.index(token) for token in given)
    except TypeError:
        raise Bad(f"{what} {short(given)}: give whole numbers") from None
    if any(token < 0 for token in ids):
        raise Bad(f"{what}: {min(ids)} is no token id; leave padding out")
    return ids


def _bias(given: Any) -> dict[int, float]:
    """What is added to logits; the keys may be words, as JSON has them."""
    if not isinstance(given, Mapping):
        raise Bad(f"request: logit_bias {short(given)}: give a dict of token ids")
    try:
        made = {int(token): float(added) for token, added in given.items()}
    except (TypeError, ValueError):
        raise Bad(f"request: logit_bias {short(given)}: give numbers by id") from None
    if not all(map(isfinite, made.values())):
        raise Bad("request: logit_bias must be finite; -100 is as good as a ban")
    return made


def _logprobs(given: Any, tokens: tuple[int, ...]) -> tuple[float, ...]:
    """One number for each token."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise Bad(f"answer: logprobs {short(given)}: give a list of numbers")
    try:
        made = tuple(float(each) for each in given)
    except (TypeError, ValueError):
        raise Bad(f"answer: logprobs {short(given)}: give numbers only") from None
    if len(made) != len(tokens) or any(map(isnan, made)):
        raise Bad(
            f"answer: {len(made)} logprobs for {len(tokens)} tokens, or NaN among "
            "them: give one number for each token, or none at all"
        )
    return made
