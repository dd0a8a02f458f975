"""Markdown for the summary of a step of continuous integration."""

import re
from collections.abc import Sequence

from specsim.oracle.report import Report
from specsim.oracle.reporting.markup import clean
from specsim.oracle.reporting.words import (
    MARKS,
    TONES,
    address,
    evidence,
    spoken,
    summary,
)


def plain(text: str) -> str:
    r"""Text that Markdown and HTML leave as it is, on one line.

    >>> plain("a|b\n<script> *x*")
    'a\\|b \\<script\\> \\*x\\*'
    """
    return re.sub(r"([\\`*_{}\[\]<>()#|~!&])", r"\\\1", " ".join(clean(text).split()))


def code(text: str) -> str:
    """A code span, whatever ticks and bars are in it."""
    inner = " ".join(clean(text).split()).replace("|", "\\|")
    ticks = "`" * (1 + max(map(len, re.findall("`+", inner)), default=0))
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def rows(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A table."""
    lines = [heads, ["---"] * len(heads), *cells]
    return [f"| {' | '.join(line)} |" for line in lines]


def marked(verdict: str) -> str:
    return f"{MARKS[TONES[verdict]]} {spoken(verdict)}"


def document(report: Report) -> str:
    """Verdict, cases, the failing case, what it resembles, how to run it again."""
    lines = [
        f"## {MARKS[TONES[report.verdict]]} {report.headline}: {code(report.engine)}",
        "",
        f"{plain(summary(report))} Law: {plain(report.law)}. "
        f"Evidence: {plain(evidence(report))}.",
        "",
        *rows(
            ["case", "verdict", "evidence", "what was seen"],
            [
                [
                    code(tier.name),
                    marked(tier.verdict),
                    tier.grade or "-",
                    plain(tier.detail),
                ]
                for tier in report.tiers
            ],
        ),
        *(f"\n{plain(str(tier.effect))}" for tier in report.tiers if tier.effect),
        *_failing(report),
        *(f"\nDefect at the edge: {plain(f.name)}." for f in report.findings),
        "",
        f"Again: {code(report.replay)}",
    ]
    return "\n".join(lines) + "\n"


def _failing(report: Report) -> list[str]:
    lines = []
    if w := report.witness:
        after = f"after {list(w.prefix)}" if w.prefix else "as the first token"
        said = f"In {w.world}, {after}: token {w.token} wanted {w.want}, got {w.got}."
        lines += ["", plain(said)]
        for name, by_prefix in (("p", w.p), ("q", w.q)):
            for prefix, row in by_prefix.items():
                lines += ["", code(f"{name}({prefix}) = {' '.join(row)}")]
    for known in report.diagnosis:
        seen = ", ".join(map(_linked, known.reports))
        said = f"\nResembles {code(known.name)} ({plain(known.likeness)}): "
        lines.append(said + code(known.line) + (f", seen in {seen}" if seen else ""))
    return lines


def _linked(seen: str) -> str:
    link = address(seen)
    return f"[{plain(seen)}]({link})" if link else plain(seen)
