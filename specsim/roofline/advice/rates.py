"""How well each drafter drafts, task by task: the rows of data/acceptance.csv.

Every row is built from published measurements, which it names, by tools/acceptance.py,
which says how. Alpha is the acceptance of a drafted token given those before it.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import log10
from typing import Any

from specsim.errors import Bad

TASKS = {
    "chat": "conversation and writing",
    "code": "programs from a description",
    "maths": "worked problems",
    "summarisation": "of a text in the prompt",
    "translation": "of a text in the prompt",
    "qa": "questions without sources",
    "rag": "questions with sources in the prompt",
    "edit": "a text in the prompt, copied with changes",
    "mixed": "all of these",
}
ALIASES = {
    "math": "maths", "reasoning": "maths", "coding": "code", "summarization":
    "summarisation", "rag/qa": "rag", "copy": "edit", "copy-heavy": "edit",
    "copy-heavy/edit": "edit", "copy-heavy-edit": "edit", "general": "mixed",
}  # fmt: skip
NEAREST = {"edit": ("code", "mixed")}
"""Tasks to go by where a drafter was not measured in one; else mixed."""
SHARE = 1 / 30
MOST = 0.97


@dataclass(frozen=True)
class Rate:
    """What to expect of a drafter.

    fall:   by what alpha falls with each token further down.
    decade: what alpha gains by a draft of ten times the parameters.
    target: whether it is of the model asked for, not of others.
    stands: the task it was measured in, where that is not the one asked for.
    """

    drafter: str
    alpha: float
    low: float
    high: float
    decade: float
    fall: float
    rows: int
    how: str
    source: str
    target: bool
    stands: str

    def law(self, alpha: float) -> Any:
        """What `speculate` takes for alpha: one number, or one for each position."""
        from specsim.roofline.speculation.acceptance import Positions

        if self.fall == 1:
            return alpha
        return Positions(tuple(alpha * self.fall**depth for depth in range(DEEPEST)))

    def of_share(self, share: float) -> "Rate":
        """The same for a draft model of that share of the target's parameters."""
        gained = self.decade * log10(share / SHARE)
        moved = (self._within(v + gained) for v in (self.alpha, self.low, self.high))
        alpha, low, high = moved
        return replace(self, alpha=alpha, low=low, high=high)

    @staticmethod
    def _within(alpha: float) -> float:
        return min(max(alpha, 0.0), MOST)


DEEPEST = 16
"""Tokens drafted a step at most; beyond, no published row says what is accepted."""


def task(name: str) -> str:
    """The task of that name; Bad, with all of them, if there is none.

    >>> task("Copy-heavy")
    'edit'
    """
    key = name.strip().lower() if isinstance(name, str) else ""
    key = ALIASES.get(key, key)
    if key not in TASKS:
        raise Bad(f"task {name!r}: choose from {', '.join(TASKS)}")
    return key


def rate(drafter: str, task: str, temperature: float, target: str = "") -> Rate | None:
    """What is known of a drafter in a task, of that target if it was measured.

    Between temperature 0 and 1 on a straight line; above 1 as at 1. None: nothing is.
    """
    table = _table()
    tasks = (task, *NEAREST.get(task, ()), "mixed")
    wanted = [(drafter, each, of) for each in tasks for of in (target, "")]
    found = next((key for key in wanted if (*key, 0) in table), None)
    if found is None:
        return None
    cold, warm = (table[*found, degree] for degree in (0, 1))
    share = min(temperature, 1.0)

    def between(name: str) -> float:
        ends = float(cold[name]), float(warm[name])
        return ends[0] + share * (ends[1] - ends[0])

    return Rate(
        drafter,
        between("alpha"),
        between("low"),
        between("high"),
        float(cold["decade"]),
        float(cold["fall"]),
        int(cold["rows"]),
        cold["how"],
        cold["source"],
        bool(found[2]),
        "" if found[1] == task else found[1],
    )


@cache
def _table() -> dict[tuple[str, str, str, int], Mapping[str, str]]:
    place = files("specsim") / "data" / "acceptance.csv"
    with place.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {
        (row["drafter"], row["task"], row["target"], int(row["temperature"])): row
        for row in rows
    }
