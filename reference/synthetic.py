"""Synthetic acceptance: lengths with rates that are given, whatever was drafted.

What vLLM calls synthetic rejection sampling and SGLang a simulated acceptance length:
an aid for timing a system without a good drafter. There is no law that it keeps, so it
makes no tokens, only their number, and cannot stand where a rule stands.

Rates are unconditional: rates[i] is the probability that token i is accepted, and with
it all before; they never rise. A step emits one token more than it accepts.
"""

from collections.abc import Sequence
from typing import Any

from .randomness import Source

Number = Any
"""A Fraction, an int or a float."""


def accepted(rates: Sequence[Number], source: Source) -> int:
    """How many of the len(rates) drafted tokens are accepted.

    Coins: accept[i] for each token looked at.
    """
    for i, rate in enumerate(conditional(rates)):
        if not source.accept(i, rate):
            return i
    return len(rates)


def conditional(rates: Sequence[Number]) -> list[Number]:
    """The rate of each token given that all before it were accepted; 0/0 counts as 0.

    These are what `theory.tokens_by_position` takes. ValueError if the rates rise or
    are no probabilities.

    >>> conditional([0.5, 0.25, 0, 0])
    [0.5, 0.5, 0.0, 0]
    """
    before: Number = 1
    given = []
    for i, rate in enumerate(rates):
        if not 0 <= rate <= before:
            raise ValueError(
                f"rates[{i}]={rate}: unconditional rates lie in [0, 1] and never rise"
            )
        given.append(rate / before if before else 0)
        before = rate
    return given


def geometric(alpha: Number, k: int) -> list[Number]:
    """The rates of k tokens accepted independently, each with probability alpha."""
    return [alpha ** (i + 1) for i in range(k)]


def steady(length: Number, k: int) -> list[Number]:
    """The rates of k tokens that emit `length` tokens a step, varying as little as can.

    Every step emits the whole number below `length` or the one above. ValueError
    unless 1 <= length <= k + 1.

    >>> steady(2.5, 3)
    [1.0, 0.5, 0.0]
    """
    if not 1 <= length <= k + 1:
        raise ValueError(f"length={length}: a step of {k} drafts emits 1 to {k + 1}")
    none, whole = 0 * length, length / length
    return [min(max(length - 1 - i, none), whole) for i in range(k)]
