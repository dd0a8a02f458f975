"""Verdicts in words, and how good or bad they are."""

import re
from math import log10
from typing import Literal

from specsim.oracle.report import PROOF, Report

Tone = Literal["good", "fair", "bad", "none"]

TONES: dict[str, Tone] = {
    "exact": "good",
    "exact_within": "good",
    "not_rejected": "good",
    "rejected": "bad",
    "errored": "bad",
    "inconclusive": "fair",
    "unsupported": "none",
}
MARKS = {"good": "✓", "fair": "?", "bad": "✗", "none": "-"}
"""So that colour is never all there is to see."""
TONE_OF_GRADE: dict[str, Tone] = {
    "": "none",
    "clean": "good",
    "note": "good",
    "suspicious": "fair",
    "very suspicious": "fair",
    "fail": "bad",
}


def spoken(verdict: str) -> str:
    return verdict.replace("_", " ")


def summary(report: Report) -> str:
    """What the verdict means, in a sentence."""
    tiers = report.tiers
    wrong = sum(tier.verdict == "rejected" for tier in tiers)
    return {
        "exact": "Every law that was computed is right to the last bit.",
        "exact_within": "Every law that was computed is right, up to rounding.",
        "not_rejected": f"No evidence against it in {_share(len(tiers), len(tiers))}.",
        "rejected": f"Wrong beyond doubt in {_share(wrong, len(tiers))}.",
        "inconclusive": "Too little was seen to say more within this budget.",
        "unsupported": f"Nothing to judge: {report.trouble}",
        "errored": f"No verdict: {report.trouble}",
    }[report.verdict]


def _share(wrong: int, cases: int) -> str:
    return "the only case" if cases == 1 else f"{wrong} of {cases} cases"


def evidence(report: Report) -> str:
    """How sure the verdict is."""
    if report.log10_e is None:
        return "computed, not sampled"
    hurdle = -log10(report.false_alarm)
    return f"log10 E {endless(report.log10_e)} (rejects at {hurdle:.0f})"


def endless(log10_e: float) -> str:
    """Infinite where the engine did what the target never does."""
    return f"{log10_e:.1f}" if log10_e < PROOF else "infinite"


def address(seen: str) -> str | None:
    """Where a public report is to be read: owner/name#number, owner/name at commit.

    >>> address("vllm-project/vllm#8320")
    'https://github.com/vllm-project/vllm/issues/8320'
    >>> address("a friend told me")
    """
    home = "https://github.com/"
    if found := re.fullmatch(r"([\w.-]+/[\w.-]+)#(\d+)", seen):
        return f"{home}{found[1]}/issues/{found[2]}"
    if found := re.fullmatch(r"([\w.-]+/[\w.-]+) at ([0-9a-f]{7,40})", seen):
        return f"{home}{found[1]}/commit/{found[2]}"
    return None
