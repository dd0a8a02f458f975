"""How far answers are from what was measured."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from tools.peers.rows import Item
from tools.peers.talk import Outcome

GROUPS = "cases", "decode", "served dense", "served MoE"
TTFT = {"served dense": "TTFT dense", "served MoE": "TTFT MoE"}
"""Served loads are scored twice: per output token, and to the first token."""
SETS = (*GROUPS, *TTFT.values())


@dataclass(frozen=True)
class Score:
    """Relative errors, answer over measurement less 1, of the rows answered.

    bias: their mean. reference: the mean absolute error of specsim on the same rows,
    as far as it answers them.
    """

    asked: int
    answered: int
    mape: float | None = None
    median: float | None = None
    bias: float | None = None
    reference: float | None = None


def scores(
    items: Sequence[Item], made: Sequence[Outcome], ours: Sequence[Outcome]
) -> dict[str, Score]:
    """One of each set, from the outcomes of the items, specsim's beside them."""
    return {name: _score(_pairs(name, items, made, ours)) for name in SETS}


def refusals(items: Sequence[Item], made: Sequence[Outcome]) -> dict[str, Counter[str]]:
    """Of each group, how many items were refused and for what reason."""
    counted: dict[str, Counter[str]] = {group: Counter() for group in GROUPS}
    for item, outcome in zip(items, made, strict=True):
        if outcome.refused:
            counted[item.group][outcome.refused] += 1
    return counted


def _pairs(name: str, items: Sequence[Item], *made: Sequence[Outcome]) -> Any:
    """Measured, answered and ours of each item of a set that was measured."""
    for item, outcome, our in zip(items, *made, strict=True):
        if item.group == name and item.ms:
            yield item.ms, outcome.ms, our.ms
        if TTFT.get(item.group) == name and item.ttft_ms:
            yield item.ttft_ms, outcome.ttft_ms, our.ttft_ms


def _score(pairs: Any) -> Score:
    all_of = list(pairs)
    rows = [(truth, ms, ours) for truth, ms, ours in all_of if ms is not None]
    if not rows:
        return Score(len(all_of), 0)
    errors = [ms / truth - 1 for truth, ms, _ in rows]
    beside = [abs(ours / truth - 1) for truth, _, ours in rows if ours is not None]
    apart = list(map(abs, errors))
    return Score(
        len(all_of),
        len(rows),
        mape=fmean(apart),
        median=median(apart),
        bias=fmean(errors),
        reference=fmean(beside) if beside else None,
    )
