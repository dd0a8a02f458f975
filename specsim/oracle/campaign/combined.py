"""One verdict on an engine from all its tasks.

Each tier that was sampled ended with a value E of a test martingale, at a time that the
past decided, so E is an e-value: its mean is at most 1 if the engine is right. What is
taken is that last value, not the highest on the way, whose mean has no bound.

* Within a task the tiers ask one process, so their mean is taken: the mean of e-values
  is one whatever their dependence. So is the mean over all tasks, which is large where
  one task alone shows a fault.
* Tasks of different seeds start the engine anew and draw from generators seeded apart,
  so, given the engine, they are independent, and the product of their e-values is one:
  it adds up what every task shows a little of. An engine that keeps its own luck from
  process to process breaks this; the mean holds for it.

Half the money on the mean and half on the product is an e-value again, the suite's E. A
task that rejects by itself rejects the engine too, so the odds that a right engine is
rejected are the odds of a false alarm times the number of tasks' tiers, at most.
Vovk and Wang (2021), "E-values: calibration, combination and applications",
https://arxiv.org/abs/1912.06116
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from specsim.oracle.campaign.task import Outcome
from specsim.oracle.evidence import LN10, log_mean
from specsim.oracle.judge import WORST_FIRST
from specsim.oracle.report import EXIT, PROOF


@dataclass(frozen=True)
class Combined:
    """All tasks of one engine.

    raised:  what went wrong instead of a report, a line for each task.
    log10_e: of the suite; None where every law was computed.
    """

    engine: str
    tasks: int
    verdict: str
    raised: tuple[str, ...]
    log10_mean: float | None
    log10_product: float | None
    log10_e: float | None

    @property
    def exit_code(self) -> int:
        return EXIT[self.verdict]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """A line, and one more for what raised."""
        said = f"{self.verdict:13} {self.tasks} tasks"
        if self.log10_e is not None:
            said += f", log10 E {self.log10_e:.1f}"
            said += f" (mean {self.log10_mean:.1f}, product {self.log10_product:.1f})"
        lines = [f"  {self.engine:40} {said}"]
        if self.raised:
            lines.append(f"    {len(self.raised)} raised, first: {self.raised[0]}")
        return "\n".join(lines)


def combined(engine: str, outcomes: Sequence[Outcome], false_alarm: float) -> Combined:
    """The worst that a task found; rejected too where only all together show it."""
    reports = [done["report"] for done in outcomes if "report" in done]
    raised = tuple(done["raised"] for done in outcomes if "raised" in done)
    found = {report["verdict"] for report in reports}
    found |= {"errored"} if raised else set()
    values = [e for e in map(ended, reports) if e is not None]
    mean = product = suite = None
    if values:
        mean, product = averaged(values), float(min(sum(values), PROOF))
        suite = averaged([mean, product])
        found |= {"rejected"} if suite >= -math.log10(false_alarm) else set()
    verdict = next((v for v in WORST_FIRST if v in found), "unsupported")
    return Combined(engine, len(outcomes), verdict, raised, mean, product, suite)


def ended(report: dict[str, Any]) -> float | None:
    """log10 E at the end of a task, its tiers averaged; None if it sampled nothing."""
    paths = [tier["path"] for tier in report["tiers"] if tier["path"]]
    return averaged(path[-1][1] for path in paths) if paths else None


def averaged(log10s: Iterable[float]) -> float:
    """log10 of the mean of what these are log10 of.

    >>> round(averaged([0.0, 3.0]), 2)
    2.7
    """
    return float(log_mean(np.array([*log10s]) * LN10)) / LN10
