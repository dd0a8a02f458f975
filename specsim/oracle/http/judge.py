"""The verdict on a server."""

import math
import shlex
import sys
import time
from collections.abc import Sequence

from specsim.errors import Bad
from specsim.oracle.endtoend.law import ORDERS
from specsim.oracle.http import whole
from specsim.oracle.http.bench import SCALES, Bench, Found
from specsim.oracle.http.checks import CHECKS, Check, drafts
from specsim.oracle.http.client import Refused
from specsim.oracle.http.reference import PROBE, Reference
from specsim.oracle.http.server import found
from specsim.oracle.report import Report, Tier
from specsim.progress import Progress

WORST_FIRST = "errored", "rejected", "inconclusive", "not_rejected", "unsupported"
"""What a server does not offer is told, and does not spoil the verdict on the rest."""

NO_IDS = "the server tells no token ids"
BY_PROMPT = "http/reference/law/"


def check(
    url: str,
    *,
    plain_url: str | None = None,
    reference: str | None = None,
    model: str = "",
    false_alarm: float = 1e-9,
    budget: str = "quick",
    seed: int = 0,
) -> Report:
    """Judge the server at a URL by its answers.

    plain_url:   the same model served without speculation.
    reference:   the model in a folder or a file, or "probe": the exact law.
    model:       the name to ask for; "": the first that the server lists.
    false_alarm: the odds of rejecting a right server, over all that is sampled.
    Bad: no server there, no such model. What breaks on the way is the tier `contract`,
    and what was found before it stays.
    """
    start = time.monotonic()
    asked = plain_url, reference, model, false_alarm, budget, seed
    report = Report(url, "unsupported", seed, _replay(url, *asked))
    report.false_alarm = false_alarm
    scale, known = SCALES[budget], Reference(reference) if reference else None
    vocab = known.vocab if known else None
    server = found(url, model, scale.timeout, vocab)
    plain = found(plain_url, model, scale.timeout, vocab) if plain_url else None
    if known:
        known.counts_prompt = ORDERS[server.dialect.order].counts_prompt
    bench = Bench(server, plain, known, scale, seed, 0.0)
    rows = [row for row in CHECKS if not row.needs & _not_given(bench)]
    if reference == PROBE:  # whose law is judged by prefix and by case
        rows = [row for row in rows if not row.name.startswith(BY_PROMPT)]
    bench.hurdle = math.log10(2 * len(rows) / false_alarm)
    report.notes += _notes(bench)
    try:
        with Progress() as progress:
            say = progress if sys.stderr.isatty() else whole.silent
            _judged(rows, bench, report, say)
            if reference == PROBE and "ids" in server.offers:
                whole.run(server, plain, budget, seed, false_alarm, report, say)
    except Bad as broken:
        report.tiers.append(Tier("contract", "errored", str(broken), 0.0))
    verdicts = {tier.verdict for tier in report.tiers}
    report.verdict = next(v for v in WORST_FIRST if v in verdicts)
    report.seconds = round(time.monotonic() - start, 3)
    return report


def _judged(
    rows: Sequence[Check], bench: Bench, report: Report, say: whole.Say
) -> None:
    """Every check, each a tier; `say` is told which one is next."""
    if {"drafted", "ids"} <= bench.server.offers:
        say("what is drafted at first, which http/drift asks again")
        drafts.look(bench)
    for number, row in enumerate(rows, 1):
        say(f"check {number} of {len(rows)}: {row.name}")
        report.tiers.append(_tier(row, bench, report))


def _tier(row: Check, bench: Bench, report: Report) -> Tier:
    """One check, run or left out; a parameter refused is one that is not offered."""
    start = time.monotonic()
    if missing := _missing(row, bench):
        what = f"the server does not offer {', '.join(missing)}"
        what = NO_IDS if "ids" in missing else what
        return Tier(row.name, "unsupported", what, 0.0)
    try:
        made = row.run(bench)
    except Refused as reason:
        made = Found("unsupported", str(reason), 0)
    if made.log10_e is not None:
        report.log10_e = max(report.log10_e or 0.0, made.log10_e)
    seconds = round(time.monotonic() - start, 3)
    said = made.verdict, made.detail, seconds, made.tried, made.log10_e
    return Tier(row.name, *said)


def _not_given(bench: Bench) -> set[str]:
    """What the command line did not name."""
    given = {"plain": bench.plain, "reference": bench.reference}
    return {name for name, value in given.items() if value is None}


def _missing(row: Check, bench: Bench) -> list[str]:
    """What a check needs and the server does not offer."""
    return sorted(row.needs - bench.server.offers - {"plain", "reference"})


def _notes(bench: Bench) -> list[str]:
    names = ", ".join(sorted(bench.server.offers - {"extras"})) or "no more than text"
    notes = [f"dialect {bench.server.dialect.name}; the server offers {names}"]
    options = {"plain": "--plain-url", "reference": "--reference"}
    if len(left := [options[name] for name in sorted(_not_given(bench))]) == 2:
        notes.append(f"the law of what is drawn needs {' or '.join(left)}")
    return notes


def _replay(
    url: str,
    plain_url: str | None,
    reference: str | None,
    model: str,
    false_alarm: float,
    budget: str,
    seed: int,
) -> str:
    words = ["specsim", "check", url, "--budget", budget, "--seed", str(seed)]
    words += ["--false-alarm", f"{false_alarm:g}"]
    options = {"--plain-url": plain_url, "--reference": reference, "--model": model}
    words += [w for name, value in options.items() if value for w in (name, value)]
    return shlex.join(words)
