"""What `specsim check` says of whole engines: run them, and write it into FINDINGS.md.

python -m tools.engines                  the page, from the results that are kept
python -m tools.engines run [WORD ...]   first anew those whose origin or engine has one
                                         of these words, or all, if they are here
    --budget NAME   as of specsim check

An engine is here where its package is installed beside this Python, or its program lies
on PATH.
"""

import argparse
import json
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools import findings
from tools.findings import HOME, PAGE, Found, Subject, key, origin, worded

KEPT = HOME / "end_to_end.json"
START, END = "<!-- tools/engines.py writes from here -->", "<!-- so far -->"
MODE = "generate/"
LEFT_OUT = "path", "seconds"
"""Of a tier, what is of no use on the page."""
MOST = 240
"""Characters of what is said of a case."""


def subjects() -> list[Subject]:
    """Every engine there are rows for."""
    return findings.subjects("engine")


def results() -> dict[str, Found]:
    """What was found of each engine, by key: the day and the report."""
    return findings.results(KEPT)


def missing(subject: Subject) -> str:
    """Why an engine cannot be run here; empty if it can."""
    if program := subject.get("program"):
        return "" if shutil.which(program) else f"{program} is not on PATH"
    return findings.missing(subject, Path())


def run(subject: Subject, budget: str) -> Found:
    """The report of one engine."""
    found = findings.run(subject, Path(), budget)
    found["tiers"] = [
        {name: value for name, value in tier.items() if name not in LEFT_OUT}
        for tier in found["tiers"]
    ]
    return found


def modes(found: Found) -> dict[str, list[dict[str, Any]]]:
    """The tiers of each mode, their names without it."""
    made: dict[str, list[dict[str, Any]]] = {}
    for tier in found["tiers"]:
        mode, _, case = tier["name"].removeprefix(MODE).partition("/")
        made.setdefault(mode, []).append({**tier, "name": case})
    return made


def table(every: dict[str, Found]) -> Iterator[str]:
    """A row for each mode of each engine."""
    yield "| engine | mode | not rejected | rejected | errored | undecided |"
    yield "|---|---|---|---|---|---|"
    for subject, found in ordered(every):
        for mode, tiers in modes(found).items():
            right = [t for t in tiers if t["verdict"] == "not_rejected"]
            cells = [title(subject), mode, f"{len(right)} of {len(tiers)}"]
            for verdict in ("rejected", "errored", "inconclusive"):
                names = [t["name"] for t in tiers if t["verdict"] == verdict]
                cells.append(", ".join(names))
            yield f"| {' | '.join(cells)} |"


def ordered(every: dict[str, Found]) -> Iterator[tuple[Subject, Found]]:
    for subject in subjects():
        if key(subject) in every:
            yield subject, every[key(subject)]


def title(subject: Subject) -> str:
    """What an engine is called, with its version."""
    name, _, version = origin(subject).partition("==")
    return f"{subject.get('name', name)} {version}"


def details(every: dict[str, Found]) -> Iterator[str]:
    """What is to be said of each: what fails, the worst of it, how to see it."""
    for subject, found in ordered(every):
        yield from [f"#### {title(subject)}", ""]
        verdict = worded(found["verdict"]).capitalize()
        said = f"{verdict} on {found['date']}. {subject.get('remark', '')}"
        yield from findings.paragraph(said)
        yield from wrong(found)
        yield from witness(found["witness"])
        for note in found["notes"]:
            yield from findings.paragraph(f"The report notes: {note}.")
        yield from ["```sh", *subject["install"], found["command"], "```", ""]


def wrong(found: Found) -> Iterator[str]:
    """The cases that fail, together where the same is said of them."""
    failed: dict[str, list[str]] = {}
    for mode, tiers in modes(found).items():
        for tier in tiers:
            if tier["verdict"] in ("rejected", "errored"):
                detail = textwrap.shorten(tier["detail"], MOST, placeholder=" ...")
                said = f"{worded(tier['verdict'])}, {detail}"
                failed.setdefault(f"{mode}: {said}", []).append(tier["name"])
    for said, cases in failed.items():
        mode, _, rest = said.partition(": ")
        yield f"- {mode}, {', '.join(cases)}: {rest}"
    if failed:
        yield ""


def witness(found: Found | None) -> Iterator[str]:
    """The worst prefix, and the rows there."""
    if found:
        after = f"after {found['prefix']}" if found["prefix"] else "as the first token"
        odds = f"token {found['token']} wanted {found['want']}, got {found['got']}"
        yield from ["Worst:", "", "```text", found["world"]]
        yield from [f"p = {' '.join(row)}" for row in found["p"].values()]
        yield from [f"q = {' '.join(row)}" for row in found["q"].values()]
        yield from [f"{after}: {odds}", "```", ""]


def page(text: str, every: dict[str, Found]) -> str:
    """The page with its generated part anew, and the rest of it as it is."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    lines = [*table(every), "", "### Engine by engine", "", *details(every)]
    return "\n".join([f"{before}{START}", "", *lines, f"{END}{after}"])


def main() -> None:
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("words", nargs="*")
    asked.add_argument("--budget", default="quick")
    args = asked.parse_args()
    every = results()
    do, *words = args.words or [""]
    for subject in subjects() if do == "run" else []:
        if words and not any(word in key(subject) for word in words):
            continue
        why = missing(subject)
        if not why:
            found = run(subject, args.budget)
            every = results() | {key(subject): found}
            KEPT.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
        print(f"{key(subject)}: {why or every[key(subject)]['verdict']}", flush=True)
    PAGE.write_text(page(PAGE.read_text(), every))


if __name__ == "__main__":
    main()
