"""What `specsim check` says of public functions: run them, and write FINDINGS.md.

python tools/findings.py                  the page, from the results that are kept
python tools/findings.py run [WORD ...]   first anew those whose origin or engine has
                                          one of these words, or all, if they are here
    --in DIR        the directory to run in: the checkout of those of a repository
    --budget NAME   as of specsim check
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HOME = ROOT / "specsim" / "oracle" / "engines"
PAGE, KEPT = HOME / "FINDINGS.md", HOME / "results.json"
START, END = "<!-- tools/findings.py writes from here -->", "<!-- to here -->"
ORDER = "exact", "exact_within", "not_rejected", "inconclusive", "rejected", "errored"
Subject = dict[str, Any]
Found = dict[str, Any]


def subjects(sort: str = "function") -> list[Subject]:
    """Every function, or engine, that there is a row for."""
    with (HOME / "subjects.toml").open("rb") as file:
        return list(tomllib.load(file)[sort])


def results(kept: Path = KEPT) -> dict[str, Found]:
    """What was found of each subject, by key: the day and the report."""
    return dict(json.loads(kept.read_text())) if kept.exists() else {}


def origin(subject: Subject) -> str:
    """The package and its version, or the repository and its commit."""
    return str(subject.get("package") or subject["checkout"])


def key(subject: Subject) -> str:
    return f"{origin(subject)} {subject['engine']}"


def missing(subject: Subject, here: Path) -> str:
    """Why a subject cannot be run here; empty if it can."""
    if "checkout" in subject:
        name = subject["checkout"].split(" at ")[0].split("/")[1]
        return "" if name in here.resolve().name else f"run it in a checkout of {name}"
    name, wanted = subject["package"].split("==")
    try:
        found = version(name)
    except PackageNotFoundError:
        return f"pip install --no-deps {subject['package']}"
    return "" if found == wanted else f"{name} is {found}, not {wanted}"


def run(subject: Subject, here: Path, budget: str) -> Found:
    """The day, the command and the report, without what is of no use on the page."""
    command = ["-m", "specsim", "check", subject["engine"], "--budget", budget]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *command, "--json", "-"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout.strip():
        raise SystemExit(f"{key(subject)}: {done.stderr.strip()[-300:]}")
    report = json.loads(done.stdout)
    names = "verdict", "tiers", "witness", "findings", "notes"
    found = {name: report[name] for name in names}
    found["diagnosis"] = [known["name"] for known in report["diagnosis"]]
    return {
        "date": date.today().isoformat(),
        "command": shlex.join(command[1:]),
    } | found


def table(every: dict[str, Found]) -> Iterator[str]:
    """A row for each subject that was run, the right ones first."""
    yield "| from | function | by design | verdict | evidence |"
    yield "|---|---|---|---|---|"
    for subject, found in ordered(every):
        design = "lossy" if subject.get("lossy") else "the target's law"
        tiers = "; ".join(evidence(found))
        cells = origin(subject), subject["name"], design, worded(found["verdict"])
        yield f"| {' | '.join(cells)} | {escaped(tiers)} |"


def evidence(found: Found) -> Iterator[str]:
    """What was said of the law; of the contract where that was broken."""
    for tier in found["tiers"]:
        if tier["name"].endswith(("/law", "/drawn")) or tier["verdict"] == "errored":
            yield tier["detail"]


def ordered(every: dict[str, Found]) -> list[tuple[Subject, Found]]:
    run = [(subject, every[key(subject)]) for subject in subjects()
           if key(subject) in every]  # fmt: skip
    return sorted(run, key=lambda pair: ORDER.index(pair[1]["verdict"]))


def details(every: dict[str, Found]) -> Iterator[str]:
    """What is to be said of each: what fails, the smallest input, how to see it."""
    for subject, found in ordered(every):
        yield from [f"#### {origin(subject)}: {subject['name']}", ""]
        said = f"{worded(found['verdict']).capitalize()} on {found['date']}."
        if found["diagnosis"]:
            names = ", ".join(f"`{name}`" for name in found["diagnosis"])
            said += f" It has the law of the planted bug {names}."
        yield from paragraph(f"{said} {subject.get('remark', '')}")
        yield from witness(found["witness"])
        for edge in found["findings"]:
            yield from at_the_edge(edge)
        yield from ["```sh", *commands(subject, found), "```", ""]


def paragraph(text: str) -> list[str]:
    return [*textwrap.wrap(text, 88, break_long_words=False), ""]


def witness(found: Found | None) -> Iterator[str]:
    if found:
        rows = [f"p({at}) = {' '.join(row)}" for at, row in found["p"].items()]
        rows += [f"q({at}) = {' '.join(row)}" for at, row in found["q"].items()]
        after = f"after {found['prefix']}" if found["prefix"] else "as the first token"
        odds = f"token {found['token']} wanted {found['want']}, got {found['got']}"
        yield from ["Smallest failing case:", "", "```text", *rows]
        yield from [f"{after}: {odds}", "```", ""]


def at_the_edge(found: Found) -> Iterator[str]:
    yield from paragraph(f"At the edge, {found['name']}:")
    call = [f"{name} = {value}" for name, value in found["call"].items()]
    yield from ["```text", *call, f"gives {found['got']}", "```", ""]


def commands(subject: Subject, found: Found) -> Iterator[str]:
    if "package" in subject:
        yield f"pip install --no-deps {subject['package']}"
    else:
        yield f"# in a checkout of {subject['checkout']}"
    if "also" in subject:
        yield f"pip install {shlex.join(subject['also'].split())}"
    yield found["command"]


def worded(verdict: str) -> str:
    return verdict.replace("_", " ")


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def page(text: str, every: dict[str, Found]) -> str:
    """The page with its generated part anew, and the rest of it as it is."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    lines = [*table(every), "", "### One by one", "", *details(every)]
    return "\n".join([f"{before}{START}", "", *lines, f"{END}{after}"])


def main() -> None:
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("words", nargs="*")
    asked.add_argument("--in", dest="here", type=Path, default=Path())
    asked.add_argument("--budget", default="quick")
    args = asked.parse_args()
    every = results()
    do, *words = args.words or [""]
    for subject in subjects() if do == "run" else []:
        if words and not any(word in key(subject) for word in words):
            continue
        why = missing(subject, args.here)
        if not why:
            every[key(subject)] = run(subject, args.here, args.budget)
            KEPT.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
        print(f"{key(subject)}: {why or every[key(subject)]['verdict']}", flush=True)
    PAGE.write_text(page(PAGE.read_text(), every))


if __name__ == "__main__":
    main()
