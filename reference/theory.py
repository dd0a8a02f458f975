"""Closed forms: tokens per step, the speed-up they buy, and the best draft length.

Letters as in Leviathan, Kalman and Matias (2023), "Fast inference from transformers via
speculative decoding", Theorems 3.8 and 3.11. https://arxiv.org/abs/2211.17192
k tokens are drafted and each is accepted with probability alpha, given that all before
it were; a step emits the accepted ones and one more. Costs are in units of one plain
decoding step of the target. Fractions in, Fractions out; floats in, floats out.
"""

from collections.abc import Sequence
from itertools import accumulate
from numbers import Integral
from operator import mul
from typing import Any

Number = Any
"""A Fraction, an int or a float."""


def tokens_per_step(alpha: Number, k: int) -> Number:
    """Tokens a step emits on average: (1 - alpha^(k+1)) / (1 - alpha).

    >>> from fractions import Fraction
    >>> tokens_per_step(Fraction(4, 5), 4)
    Fraction(2101, 625)
    >>> tokens_per_step(1, 4)
    5
    """
    return tokens_by_position([alpha] * _length(k))


def tokens_by_position(rates: Sequence[Number]) -> Number:
    """The same when rates[i] is the acceptance of token i, given those before it.

    Rates usually fall along the draft. A mean rate does not do in their stead: half the
    texts at 1 and half at 0 emit 3 tokens a step (k = 4), their mean 1/2 says 31/16.

    >>> from fractions import Fraction
    >>> tokens_by_position([Fraction(4, 5), Fraction(1, 2)])
    Fraction(11, 5)
    >>> [sum(tokens_per_step(a, 4) for a in (0, 1)) / 2, tokens_per_step(0.5, 4)]
    [3.0, 1.9375]
    """
    return 1 + sum(accumulate(map(_rate, rates), mul))


def accepted_per_drafted(alpha: Number, k: int) -> Number:
    """Accepted tokens over drafted ones, which is what engines count; it is not alpha.

    After a rejection the rest of the draft is thrown away untested, yet was drafted.

    >>> from fractions import Fraction
    >>> accepted_per_drafted(Fraction(4, 5), 4)
    Fraction(369, 625)
    """
    return (tokens_per_step(alpha, k) - 1) / _length(k, least=1)


def alpha_from_counts(accepted: Number, drafted: Number, k: int) -> float:
    """The alpha at which drafts of k tokens are accepted at the rate counted.

    The root of `accepted_per_drafted`, which increases in alpha, by bisection.

    >>> round(alpha_from_counts(369, 625, 4), 12)
    0.8
    """
    if not 0 <= accepted <= drafted or not drafted > 0:
        raise ValueError(
            f"accepted={accepted}, drafted={drafted}: need 0 <= accepted <= drafted "
            "and drafted > 0"
        )
    low, high, ratio = 0.0, 1.0, accepted / drafted
    while low < (middle := (low + high) / 2) < high:
        below = accepted_per_drafted(middle, k) < ratio
        low, high = (middle, high) if below else (low, middle)
    return high if ratio > 0 else 0.0


def speedup(
    alpha: Number, k: int, draft_cost: Number, verify_cost: Number = 1
) -> Number:
    """Tokens per step over the price of a step, k * draft_cost + verify_cost.

    draft_cost:  one drafted token, in plain target steps.
    verify_cost: the pass over k + 1 tokens, in plain target steps.

    Two worked values have been printed elsewhere as 3.69 and 1.94:

    >>> [round(speedup(*known), 2) for known in [(0.9, 5, 0.05), (0.7, 5, 0.1)]]
    [3.75, 1.96]
    """
    if not draft_cost >= 0:
        raise ValueError(f"draft_cost={draft_cost}: a cost is 0 or more")
    if not verify_cost > 0:
        raise ValueError(f"verify_cost={verify_cost}: verifying costs more than 0")
    return tokens_per_step(alpha, k) / (k * draft_cost + verify_cost)


def best_k(
    alpha: Number, draft_cost: Number, verify_cost: Number = 1, longest: int = 64
) -> int:
    """The draft length of greatest speed-up, 0 to `longest`; the shorter of equals.

    0 says that no draft helps, which at verify_cost 1 is the case iff alpha <=
    draft_cost. The speed-up rises, then falls (tokens are concave in k, the price is
    linear), so the first length that gains nothing is the end of the search.

    >>> [best_k(0.8, c) for c in (0.01, 0.05, 0.1, 0.2)]
    [14, 8, 6, 4]
    """
    best = speedup(alpha, 0, draft_cost, verify_cost)
    for k in range(1, _length(longest) + 1):
        if (value := speedup(alpha, k, draft_cost, verify_cost)) <= best:
            return k - 1
        best = value
    return longest


def _rate(alpha: Number) -> Number:
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha={alpha}: a probability lies between 0 and 1")
    return alpha


def _length(k: int, least: int = 0) -> int:
    if not isinstance(k, Integral) or k < least:
        raise ValueError(f"k={k}: a draft is a whole number of tokens, {least} or more")
    return int(k)
