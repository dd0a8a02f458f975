"""Several reports side by side: a row for each case, a column for each engine."""

import re
from collections.abc import Sequence
from typing import Any

from specsim.oracle.report import Report, Tier
from specsim.oracle.reporting import html, markdown
from specsim.oracle.reporting.markup import Raw, document, inside, section, tag
from specsim.oracle.reporting.words import TONES, endless, evidence, spoken

OVERALL = "overall"


def cases(reports: Sequence[Report]) -> list[str]:
    """The ids of all cases, those of one operation together."""
    return sorted({tier.name for report in reports for tier in report.tiers})


def cell(report: Report, case: str) -> tuple[int, Tier] | None:
    """What the engine's report says of a case, and at which place; None: not asked."""
    found = [(i, t) for i, t in enumerate(report.tiers) if t.name == case]
    return found[-1] if found else None


def as_dict(reports: Sequence[Report]) -> dict[str, Any]:
    """Verdicts by engine and case."""
    return {
        "report": "specsim matrix",
        "format": 1,
        "cases": cases(reports),
        "engines": [
            {
                "engine": report.engine,
                "verdict": report.verdict,
                "log10_e": report.log10_e,
                "law": report.law,
                "versions": report.versions,
                "cases": {tier.name: tier.verdict for tier in report.tiers},
            }
            for report in reports
        ],
    }


def text(reports: Sequence[Report]) -> str:
    """The matrix for a terminal: engines are numbered, their names stand below."""
    names = cases(reports)
    wide = max(map(len, [*names, OVERALL]))
    lines = [" " * wide + "".join(f"  {i:>13}" for i, _ in enumerate(reports, 1))]
    for case in (*names, OVERALL):
        found = (f"  {_word(report, case):>13}" for report in reports)
        lines.append(f"{case:{wide}}{''.join(found)}")
    lines.append("")
    lines += [f"{i:>3}  {report.engine}" for i, report in enumerate(reports, 1)]
    return "\n".join(lines)


def _word(report: Report, case: str) -> str:
    if case == OVERALL:
        return spoken(report.verdict)
    found = cell(report, case)
    return spoken(found[1].verdict) if found else "-"


def summary(reports: Sequence[Report]) -> str:
    """The matrix as Markdown."""
    heads = ["case", *(markdown.code(report.engine) for report in reports)]
    lines = []
    for case in (*cases(reports), OVERALL):
        found = []
        for report in reports:
            at = cell(report, case)
            word = report.verdict if case == OVERALL else at[1].verdict if at else ""
            found.append(markdown.marked(word) if word else "-")
        lines.append([markdown.code(case), *found])
    return "\n".join(markdown.rows(heads, lines)) + "\n"


def page(reports: Sequence[Report]) -> str:
    """The matrix and below it every report in full, in one file."""
    said = (
        f"{len(reports)} engines, {len(cases(reports))} cases. A cell says what was "
        "seen when pointed at, and leads to the engine's report below."
    )
    return document(
        "specsim: engines by cases",
        tag("h1", "Engines by cases"),
        tag("p", said, class_="lead"),
        tag("div", _table(reports), class_="matrix wide"),
        _legend(),
        *(
            tag("article", *html.body(report, f"e{i}"), id=f"e{i}")
            for i, report in enumerate(reports)
        ),
    )


def _table(reports: Sequence[Report]) -> Raw:
    heads = [tag("th", "case", scope="col")]
    heads += [
        tag(
            "th",
            tag("a", _breakable(report.engine), href=f"#e{i}", title=evidence(report)),
            scope="col",
            class_="engine id",
        )
        for i, report in enumerate(reports)
    ]
    overall = [
        tag("td", tag("a", html.verdict(report.verdict), href=f"#e{i}"))
        for i, report in enumerate(reports)
    ]
    rows = [tag("tr", tag("th", OVERALL, scope="row"), *overall)]
    for case in cases(reports):
        cells = [_cell(report, case, f"e{i}") for i, report in enumerate(reports)]
        rows.append(tag("tr", tag("th", case, scope="row", class_="case id"), *cells))
    head = tag("thead", tag("tr", *heads))
    return tag("table", head, tag("tbody", *rows))


def _breakable(name: str) -> Raw:
    """A name that may go on in the next line after a dot, a colon or a slash."""
    parts = re.split(r"(?<=[.:/_])", name)
    return Raw("<wbr>".join(inside(part) for part in parts))


def _cell(report: Report, case: str, at: str) -> Raw:
    if not (found := cell(report, case)):
        return tag("td", "·", class_="faint", title="not asked")
    number, tier = found
    said = tier.detail
    if tier.log10_e is not None:
        said = f"{tier.grade}, log10 E {endless(tier.log10_e)}: {said}"
    shown = html.pill(spoken(tier.verdict), TONES[tier.verdict], title=said)
    return tag("td", tag("a", shown, href=f"#{html.anchor(at, number)}"))


def _legend() -> Raw:
    meanings = {
        "exact": "the law was computed and is right to the last bit",
        "exact_within": "the law was computed and is right up to rounding",
        "not_rejected": "sampled, and no evidence against it",
        "rejected": "wrong beyond doubt",
        "inconclusive": "too little was seen",
        "unsupported": "the engine does not do this",
        "errored": "the engine broke",
    }
    pairs = [
        tag("li", html.verdict(word), f" {meaning}")
        for word, meaning in meanings.items()
    ]
    return section("Verdicts", tag("ul", *pairs, class_="legend"))
