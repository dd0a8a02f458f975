"""What is asked for: a prompt, how each token is drawn, and where the text ends."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from specsim import seam
from specsim.errors import Bad
from specsim.generation.words import Words
from specsim.roofline.fields import short

LONGEST, DEEPEST, SEEDS = 1_000_000, 128, 2**64


@dataclass(frozen=True)
class Request:
    """One text to generate.

    prompt:     token ids, one or more.
    most:       so many tokens are generated, unless the text ends before.
    sampling:   what is asked of each row (reference/logits).
    ends:       tokens that end the text, and belong to it.
    stop:       strings that end the text, and do not; they may begin and end anywhere.
    k:          how deep to draft.
    """

    prompt: tuple[int, ...]
    most: int
    sampling: Any
    ends: frozenset[int]
    stop: tuple[str, ...]
    k: int
    seed: int


def request(
    prompt: str | Iterable[int],
    words: Words,
    vocab: int,
    *,
    most: int,
    k: int,
    seed: int,
    stop: str | Sequence[str],
    ends: Iterable[int],
    **sampling: Any,
) -> Request:
    """All of it checked; Bad, in one line, names what is wrong."""
    strings = (stop,) if isinstance(stop, str) else stop
    given = isinstance(strings, list | tuple)
    if not (given and all(isinstance(words, str) and words for words in strings)):
        raise Bad(f"stop {short(stop)}: give strings that are not empty")
    return Request(
        prompt=tokens(prompt, words, vocab),
        most=whole("max_new_tokens", most, 1, LONGEST),
        sampling=sampled(vocab, sampling),
        ends=frozenset(ends),
        stop=tuple(strings),
        k=whole("k", k, 1, DEEPEST),
        seed=whole("seed", seed, 0, SEEDS - 1),
    )


def tokens(prompt: str | Iterable[int], words: Words, vocab: int) -> tuple[int, ...]:
    """The ids of a prompt. Bad: an empty one, or an id outside the vocabulary."""
    found = words.encode(prompt) if isinstance(prompt, str) else [*prompt]
    if not found:
        raise Bad("prompt: it is empty; give at least one token to go on from")
    for token in found:
        if not 0 <= _integer(token) < vocab:
            raise Bad(f"prompt: token {short(token)} is not in [0, {vocab})")
    return tuple(map(_integer, found))


def ids(said: str) -> list[int]:
    """Token ids with commas between them; Bad for anything else.

    >>> ids("3, 14,15")
    [3, 14, 15]
    """
    try:
        return [int(word) for word in said.split(",")]
    except ValueError:
        raise Bad(f"prompt {short(said)}: give token ids, as in 12,7,3") from None


def sampled(vocab: int, settings: dict[str, Any]) -> Any:
    """A Sampling; Bad if one of its settings does not exist, or is out of range."""
    logits = seam.reference("logits")
    if unknown := settings.keys() - logits.LEGAL.keys():
        known = ", ".join(logits.LEGAL)
        raise Bad(f"{short(min(unknown))} is no setting; there are {known}")
    try:
        made = logits.Sampling(**settings)
    except ValueError as error:
        raise Bad(str(error)) from None
    for token in made.logit_bias:
        if token >= vocab:
            raise Bad(f"logit_bias: token {token} is not in [0, {vocab})")
    return made


def whole(name: str, value: Any, least: int, most: int) -> int:
    """The number; Bad unless it is whole and in that range."""
    if not least <= (number := _integer(value, least - 1)) <= most:
        raise Bad(
            f"{name} {short(value)}: give a whole number from {least} to {most:,}"
        )
    return number


def _integer(value: Any, otherwise: int = -1) -> int:
    """The whole number it is, or `otherwise`."""
    try:
        return otherwise if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return otherwise
