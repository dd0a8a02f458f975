"""The verdict on a foreign engine."""

import shlex
import time
from fractions import Fraction

from specsim.errors import Bad
from specsim.oracle import coins
from specsim.oracle.engines.python import PythonEngine
from specsim.oracle.exact import figure
from specsim.oracle.report import Report, Tier
from specsim.oracle.trial import Trial
from specsim.rules import Rule, named

WORST_FIRST = (
    "errored",
    "rejected",
    "inconclusive",
    "unsupported",
    "not_rejected",
    "exact_within",
    "exact",
)
TIMEOUT = {"smoke": 5.0, "quick": 10.0, "full": 60.0, "nightly": 600.0}
"""Seconds of silence after which an engine is said to hang, by budget."""


def check(
    engine: str,
    *,
    rule: str | None = None,
    false_alarm: float = 1e-9,
    budget: str = "quick",
    seed: int = 0,
) -> Report:
    """Judge the engine `module:attribute` by the law of what it emits.

    rule:        the same coins must also give this rule's tokens.
    false_alarm: the odds of rejecting a right engine that can only be sampled.
    Bad: no such engine, rule or budget. A broken engine is a verdict: `errored`.
    """
    if not 0 < false_alarm < 1:
        raise Bad(f"false alarm {false_alarm}: it must lie between 0 and 1")
    if budget not in TIMEOUT:
        raise Bad(f"budget {budget!r}: choose from {', '.join(TIMEOUT)}")
    wanted = named(rule) if rule else None
    start = time.monotonic()
    again = _replay(engine, rule, budget, seed, false_alarm)
    report = Report(engine, "unsupported", seed, again)
    with PythonEngine(engine, TIMEOUT[budget]) as host:
        offer = host.hello()
        if wanted:
            coins.comparable(offer, wanted)
        try:
            for operation, modes in offer["operations"].items():
                for mode in modes:
                    asked = host, operation, mode, budget, seed, false_alarm
                    Trial(*asked, report).run()
            if wanted:
                report.tiers.append(coins.compare(host, wanted))
                report.notes += _lossy(wanted)
        except Bad as broken:
            report.tiers.append(Tier("contract", "errored", str(broken), 0.0))
    _conclude(report, offer["others"])
    report.seconds = round(time.monotonic() - start, 3)
    return report


def _lossy(rule: Rule) -> list[str]:
    """What to say of a rule whose tokens are no proof of the target's law."""
    if not rule.lossy:
        return []
    tv = figure(Fraction(rule.bias))
    return [f"rule {rule.name} is lossy, by TV {tv} at worst: only the law judges"]


def _conclude(report: Report, others: list[str]) -> None:
    verdicts = {tier.verdict for tier in report.tiers}
    report.verdict = next((v for v in WORST_FIRST if v in verdicts), "unsupported")
    if not report.tiers:
        report.notes.append(
            f"engine offers {', '.join(others)}; what is judged so far is verify"
        )


def _replay(
    engine: str, rule: str | None, budget: str, seed: int, false_alarm: float
) -> str:
    words = ["specsim", "check", engine, "--budget", budget, "--seed", str(seed)]
    words += ["--false-alarm", f"{false_alarm:g}"]
    return shlex.join([*words, *(["--rule", rule] if rule else [])])
