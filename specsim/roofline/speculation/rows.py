"""What a rule accepts of given rows, where theory says so exactly.

For a target and a draft whose rows are the same at every position: the rate of block
verification hangs on both laws and on k, and no single alpha gives it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from specsim import seam
from specsim.errors import Bad
from specsim.roofline.speculation.acceptance import Positions

MOST_TEXTS = 100_000


def positions(
    p: Sequence[Any], q: Sequence[Any], k: int, rule: str = "chain"
) -> Positions:
    """Rates by position of a chain of k drawn from q and verified against p.

    p, q: weights of the words; fractions and ints are exact.
    rule: "chain" (speculative sampling), "block" (block verification), or "match" (the
        target's own draw is compared: one-hot drafts, greedy or not).

    >>> positions([1, 2], [2, 1], 2).rates, positions([1, 2], [2, 1], 2, "block").rates
    ((0.6666666666666666, 0.6666666666666666), (0.6666666666666666, 0.8333333333333334))
    """
    if rule not in _SURVIVAL:
        raise Bad(f"rule {rule!r}: theory is given for {', '.join(_SURVIVAL)}")
    if len(p) != len(q) or not 1 <= len(p) ** k <= MOST_TEXTS:
        raise Bad(
            f"rows of {len(p)} and {len(q)} words, k {k}: too many texts or unlike"
        )
    constant = seam.table.constant
    alive = [1.0, *map(float, _SURVIVAL[rule](constant(p), constant(q), k))]
    rates = [b / a if a else 0.0 for a, b in pairwise(alive)]
    return Positions(tuple(min(rate, 1.0) for rate in rates))


def _matched(target: Any, drafter: Any, k: int) -> list[Any]:
    same = sum(a * b for a, b in zip(target(()), drafter(()), strict=True))
    return [same**depth for depth in range(1, k + 1)]


_SURVIVAL: dict[str, Callable[[Any, Any, int], list[Any]]] = {
    "chain": seam.reference("values").chain_survival,
    "block": seam.reference("values").block_survival,
    "match": _matched,
}
