"""The results as Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tools.peers.cases import CASES
from tools.peers.measure import Report
from tools.peers.score import GROUPS, SETS

MOST = 12
"""Reasons shown of each simulator."""
UNITS = (1.0, "s"), (1e-3, "ms"), (1e-6, "us")


def text(report: Report) -> str:
    """Times, then a table for each set, then the cases, then who refused what."""
    errors = (_errors(report, name) for name in SETS)
    parts = [_times(report), *errors, _cases(report), _reasons(report)]
    return "\n\n".join(filter(None, parts))


def _times(report: Report) -> str:
    head = ["simulator", "version", "start", "first query", "query"]
    rows = []
    for peer in report["peers"]:
        if peer["failed"]:
            rows.append([peer["name"], peer["version"], peer["failed"], "", ""])
            continue
        times = (peer[name] for name in ("start_s", "first_s", "query_s"))
        rows.append([peer["name"], peer["version"], *map(_seconds, times)])
    return _table(head, rows)


def _errors(report: Report, name: str) -> str:
    head = [name, "answered", "MAPE", "median", "bias", "specsim on the same"]
    rows = []
    for peer in _ran(report):
        score = peer["scores"][name]
        shares = (score[key] for key in ("mape", "median", "bias", "reference"))
        answered = f"{score['answered']} of {score['asked']}"
        rows.append([peer["name"], answered, *map(_percent, shares)])
    return _table(head, rows)


def _cases(report: Report) -> str:
    names = [peer["name"] for peer in _ran(report)]
    ideals = {case.name: case.ideal_ms for case in CASES}
    rows = []
    for number, item in enumerate(report["items"]):
        if item["group"] == "cases":
            answers = (peer["answers"][number]["ms"] for peer in _ran(report))
            times = [item["ms"], ideals[item["name"]], *answers]
            rows.append([item["name"], *map(_ms, times)])
    return _table(["ms", "measured", "ideal", *names], rows)


def _reasons(report: Report) -> str:
    lines = []
    for peer in _ran(report):
        counted: Counter[str] = Counter()
        for group in GROUPS:
            for why, n in peer["refusals"][group].items():
                counted[re.sub(r"\d+\.\d+", "...", why)] += n
        lines += [f"{peer['name']} did not answer:"] if counted else []
        lines += [f"- {n} x {why}" for why, n in counted.most_common(MOST)]
    return "\n".join(lines)


def _ran(report: Report) -> Iterable[Report]:
    return [peer for peer in report["peers"] if not peer["failed"]]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    size, unit = next((s, u) for s, u in UNITS if value >= s or u == "us")
    return f"{value / size:.{0 if value >= 10 * size else 1}f} {unit}"
