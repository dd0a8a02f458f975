"""One report as a page in one file."""

from specsim.oracle.report import Diagnosis, Finding, Report, Tier, Witness
from specsim.oracle.reporting import drawing
from specsim.oracle.reporting.markup import Raw, document, inside, section, tag
from specsim.oracle.reporting.words import (
    MARKS,
    TONE_OF_GRADE,
    TONES,
    address,
    endless,
    evidence,
    spoken,
    summary,
)


def page(report: Report) -> str:
    """The whole page of one report."""
    title = f"{report.headline}: {report.engine}"
    return document(title, *body(report))


def body(report: Report, at: str = "r") -> list[Raw]:
    """Its parts; `at` begins the ids of its tiers, so that several fit one page."""
    parts = [
        banner(report),
        facts(report),
        _tiers(report, at),
        _evidence(report),
        _witness(report),
        _diagnosis(report),
        _findings(report),
        _excluded(report),
        _notes(report),
        _again(report),
    ]
    return [part for part in parts if part is not None]


def anchor(at: str, number: int) -> str:
    """The id of a tier's row."""
    return f"{at}-{number}"


def pill(text: str, tone: str, **attributes: object) -> Raw:
    marked = f"{MARKS[tone]} {text}"
    return tag("span", marked, class_=f"pill {tone}", **attributes)


def verdict(word: str) -> Raw:
    return pill(spoken(word), TONES[word])


def banner(report: Report) -> Raw:
    tone = TONES[report.verdict]
    return tag(
        "header",
        tag("h1", f"{MARKS[tone]} {report.headline}", class_=f"verdict {tone}"),
        tag("p", tag("code", report.engine), class_="engine"),
        tag("p", summary(report)),
        class_=f"banner {tone}",
    )


def facts(report: Report) -> Raw:
    every = {
        "law it is held to": report.law,
        "evidence": evidence(report),
        "took": f"{report.seconds:.1f} s",
    }
    if report.log10_e is not None:
        every["odds of a false alarm"] = f"{report.false_alarm:g}"
    pairs = (
        tag("div", tag("dt", name), tag("dd", value)) for name, value in every.items()
    )
    return tag("dl", *pairs, class_="facts")


def _tiers(report: Report, at: str) -> Raw | None:
    if not report.tiers:
        return None
    heads = ("case", "verdict", "evidence", "what was seen", "seconds")
    rows = [_tier(tier, anchor(at, i)) for i, tier in enumerate(report.tiers)]
    head = tag("tr", *(tag("th", h, scope="col") for h in heads))
    made = tag("table", tag("thead", head), tag("tbody", *rows))
    return section("Cases", tag("div", made, class_="wide"))


def _tier(tier: Tier, id_: str) -> Raw:
    graded = Raw()
    if tier.log10_e is not None:
        graded = inside(
            pill(tier.grade, TONE_OF_GRADE[tier.grade]),
            tag("p", f"log10 E {endless(tier.log10_e)}", class_="note"),
        )
    extra = [tag("p", str(tier.effect), class_="note")] if tier.effect else []
    return tag(
        "tr",
        tag("td", tag("span", tier.name, class_="id")),
        tag("td", verdict(tier.verdict)),
        tag("td", graded, class_="grade"),
        tag("td", tier.detail, *extra, class_="seen"),
        tag("td", f"{tier.seconds:.2f}", class_="number"),
        id=id_,
    )


def _evidence(report: Report) -> Raw | None:
    drawn = drawing.evidence(report.tiers, report.false_alarm)
    if drawn is None:
        return None
    lead = (
        "E is the money made by betting against the engine, block by block. A right "
        "engine lets it reach the dashed line with the odds of a false alarm at most, "
        "whenever one looks."
    )
    return section("Evidence as blocks were drawn", drawn, lead=lead)


def _witness(report: Report) -> Raw | None:
    if not (w := report.witness):
        return None
    after = f"after {list(w.prefix)}" if w.prefix else "as the first token"
    more = f"; {w.wrong} contexts are wrong here" if w.wrong > 1 else ""
    off = f" The block is off by a total variation of {w.tv}." if w.tv else ""
    said = (
        f"In {w.world}, {after}: token {w.token} wanted {w.want}, found {w.got}{more}."
    )
    inside_ = [tag("p", said + off), _rows(w)]
    if drawn := drawing.row(w):
        inside_.append(drawn)
    if w.trials:
        inside_.append(
            tag("p", "Whiskers: 95 % Clopper-Pearson intervals.", class_="note")
        )
    return section("The smallest failing case", *inside_)


def _rows(w: Witness) -> Raw:
    rows = []
    for prefix, p in w.p.items():
        q = w.q.get(prefix)
        after = "at the root" if prefix == "root" else f"after {prefix}"
        for name, row in (("p", p), ("q", q)):
            if row is not None:
                cells = (
                    tag("td", cell, class_="zero" if cell == "0" else None)
                    for cell in row
                )
                label = f"{name} {after}"
                rows.append(tag("tr", tag("td", label), *cells, class_="row"))
    return tag("div", tag("table", tag("tbody", *rows), class_="rows"), class_="wide")


def _diagnosis(report: Report) -> Raw | None:
    if report.verdict != "rejected":
        return None
    if not report.diagnosis:
        lead = "It resembles none of the planted bugs."
        return section("Diagnosis", lead=lead)
    lead = "Each is one line of a reference, planted; the law it leads to is compared."
    return section("Diagnosis", *map(_known, report.diagnosis), lead=lead)


def _known(known: Diagnosis) -> Raw:
    old, arrow, new = f"{known.line} ".partition(" -> ")
    planted = (
        tag("pre", tag("del", old), tag("ins", new))
        if arrow
        else tag("pre", known.line)
    )
    reports: list[str] = []
    for seen in known.reports:
        link = address(seen)
        reports += [", " if reports else "Seen in "]
        reports += [tag("a", seen, href=link, rel="noreferrer") if link else seen]
    return tag(
        "div",
        tag("h3", known.name),
        tag("p", f"{known.kind} in rule {known.rule}: {known.likeness}", class_="lead"),
        planted,
        tag("p", *reports),
        class_="panel",
    )


def _findings(report: Report) -> Raw | None:
    if not report.findings:
        return None
    lead = "Too rare to show in a law; each with the input that shows it."
    return section("Defects at the edges", *map(_finding, report.findings), lead=lead)


def _finding(found: Finding) -> Raw:
    call = "\n".join(f"{name} = {value}" for name, value in found.call.items())
    return tag(
        "div",
        tag("h3", found.name),
        tag("pre", call),
        tag("p", f"Got {found.got}; acceptable is {found.acceptable}."),
        class_="panel",
    )


def _excluded(report: Report) -> Raw | None:
    if not report.excluded:
        return None
    names = tag(
        "ul",
        *(tag("li", name, class_="id") for name in report.excluded),
        class_="names",
    )
    lead = (
        "It is none of these: the law of each planted bug differs from the engine's, "
        "or the odds against it are at least those of a false alarm."
    )
    return section(f"Excluded: {len(report.excluded)} known bugs", names, lead=lead)


def _notes(report: Report) -> Raw | None:
    if not report.notes:
        return None
    return section("Notes", tag("ul", *(tag("li", note) for note in report.notes)))


def _again(report: Report) -> Raw:
    cost = f"{sum(tier.path[-1][0] for tier in report.tiers if tier.path):,} blocks"
    drawn = f", {cost} drawn" if report.log10_e is not None else ""
    ran = f"Seed {report.seed}, {report.seconds:.1f} s{drawn}."
    versions = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    return section(
        "Again",
        tag("pre", report.replay, class_="shell"),
        tag("p", f"{ran} {versions}.", class_="note"),
    )
