"""What is added to the logits of named tokens, and taken off tokens already seen.

A function here takes logits (..., V) and returns logits (..., V), token by token; NaN
and -inf pass through, `logits.softmax` has the last word. `history` holds the tokens to
count, and which those are is for the caller to say (`logits.process`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .probs import Probs

Legal = Mapping[str, tuple[Callable[[Any], bool], str]]
"""For each parameter: the test its value must pass, and the same in words."""

PENALTIES: Legal = {
    "repetition": (lambda r: 0 < r < np.inf, "finite and > 0 (1 changes nothing)"),
    "presence": (lambda a: abs(a) < np.inf, "finite (0 changes nothing)"),
    "frequency": (lambda a: abs(a) < np.inf, "finite (0 changes nothing)"),
    "logit_bias": (
        lambda b: all(token >= 0 and added < np.inf for token, added in b.items()),
        "a mapping from tokens to numbers below +inf (-inf bans the token)",
    ),
}


def require(table: Legal, **values: Any) -> None:
    """Raise ValueError for the first value that the table does not let pass."""
    for name, value in values.items():
        passes, words = table[name]
        try:
            legal = passes(value)
        except (TypeError, AttributeError):
            legal = False
        if not legal:
            raise ValueError(f"{name} = {value!r}: must be {words}")


def counts(tokens: Sequence[int], size: int) -> NDArray[np.intp]:
    """How often each token of a vocabulary of `size` occurs, (size,)."""
    for token in tokens:
        if not 0 <= token < size:
            raise ValueError(f"token {token} is outside the vocabulary of {size}")
    return np.bincount(np.array(tokens, dtype=np.intp), minlength=size)


def bias(logits: Probs, biases: Mapping[int, float]) -> Probs:
    """Add a number to the logit of each token named; -inf bans a token."""
    require(PENALTIES, logit_bias=biases)
    if not biases:
        return logits
    added = np.zeros(counts(list(biases), logits.shape[-1]).shape)
    added[list(biases)] = list(biases.values())
    biased: Probs = logits + added
    return biased


def repetition_penalty(logits: Probs, history: Sequence[int], r: float) -> Probs:
    """Divide the positive logits of tokens in `history` by r, multiply the others by r.

    Once a token, however often it occurs. Keskar et al. 2019 (CTRL),
    https://arxiv.org/abs/1909.05858, with the sign rule that engines added.
    """
    require(PENALTIES, repetition=r)
    seen = counts(history, logits.shape[-1])
    if r == 1:
        return logits
    penalised = np.where(logits > 0, logits / r, logits * r)
    return np.where(seen > 0, penalised, logits)


def presence_frequency(
    logits: Probs, history: Sequence[int], presence: float, frequency: float
) -> Probs:
    """Take off `presence` once and `frequency` per occurrence of a token in `history`.

    The penalties of the OpenAI API.
    """
    require(PENALTIES, presence=presence, frequency=frequency)
    seen = counts(history, logits.shape[-1])
    if presence == frequency == 0:
        return logits
    penalised: Probs = logits - presence * (seen > 0) - frequency * seen
    return penalised
