"""The verdict on a foreign engine."""

import shlex
import time

from specsim.errors import Bad
from specsim.oracle import coins, declared
from specsim.oracle.drafting.drafter import Drafter
from specsim.oracle.drafting.trial import Drafting
from specsim.oracle.endtoend import judge as endtoend
from specsim.oracle.engines.contract import OPERATIONS
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import Broken
from specsim.oracle.engines.python import PythonEngine
from specsim.oracle.report import Report, Tier
from specsim.oracle.trial import Trial
from specsim.oracle.wire import batches, command, program
from specsim.rules import named

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
    **served: str,
) -> Report:
    """Judge an engine, `module:attribute` or "./program with arguments", by its law;
    or a server, http://host:port (specsim.oracle.http.judge takes `served`).

    rule:        the same coins must also give this rule's tokens; and if it is lossy
                 the law must be this rule's, not the target's.
    false_alarm: the odds of rejecting a right engine that can only be sampled.
    Bad: no such engine, rule or budget. A broken engine is a verdict: `errored`.
    """
    if not 0 < false_alarm < 1:
        raise Bad(f"false alarm {false_alarm}: it must lie between 0 and 1")
    if budget not in TIMEOUT:
        raise Bad(f"budget {budget!r}: choose from {', '.join(TIMEOUT)}")
    if engine.startswith(("http://", "https://")):
        if rule:
            raise Bad("--rule: a server is sent no coins; leave it out")
        from specsim.oracle.http import judge as http

        return http.check(
            engine, false_alarm=false_alarm, budget=budget, seed=seed, **served
        )
    if served:
        raise Bad("--plain-url, --reference and --model are for servers: http://...")
    wanted = named(rule) if rule else None
    start = time.monotonic()
    again = _replay(engine, rule, budget, seed, false_alarm)
    lossy = wanted if wanted and wanted.lossy else None
    report = Report(engine, "unsupported", seed, again, law=declared.law(lossy))
    report.false_alarm = false_alarm
    others: list[str] = []
    unjudged: list[str] = []
    with hosted(engine, TIMEOUT[budget]) as host:
        try:
            offer = host.hello()
            others = offer["others"]
            report.notes += offer.get("notes", [])
            unjudged += offer.get("unjudged", [])
            if wanted:
                coins.comparable(offer, wanted)
            for operation, modes in offer["operations"].items():
                for mode in modes:
                    if _mixed_up(host, operation, mode, seed, report):
                        continue
                    asked = host, operation, mode, budget, seed, false_alarm
                    Trial(*asked, report, lossy).run()
            for mode in offer.get("draft", ()):
                with Drafter(engine, TIMEOUT[budget]) as drafter:
                    Drafting(drafter, mode, budget, seed, false_alarm, report).run()
            if "generate" in others and isinstance(host, PythonEngine):
                unjudged += endtoend.run(engine, budget, seed, false_alarm, report)
            if wanted:
                report.tiers.append(coins.compare(host, wanted))
        except Broken as broken:
            report.tiers.append(Tier("contract", "errored", str(broken), 0.0))
    if report.tiers:
        report.notes += unjudged
    else:
        report.tiers.append(_nothing_judged(engine, others, unjudged))
    _conclude(report)
    report.seconds = round(time.monotonic() - start, 3)
    return report


def _mixed_up(host: Host, operation: str, mode: str, seed: int, report: Report) -> bool:
    """Whether a program's blocks depend on the request they are in: then no law of
    its is read, since that is done in batches.
    """
    if not isinstance(host, program.ProgramEngine):
        return False
    if mode == "seed":
        report.notes += batches.replayed(host, operation, seed)
        return False
    found = batches.compare(host, operation, seed)
    report.tiers += found
    return any(tier.verdict == "rejected" for tier in found)


def hosted(engine: str, timeout: float) -> Host:
    """The engine's process: a program's path and arguments, or module:attribute.

    Bad: it cannot be started.
    """
    if command.is_path(engine):
        return program.ProgramEngine(engine, timeout)
    return PythonEngine(engine, timeout)


def _nothing_judged(engine: str, others: list[str], unjudged: list[str]) -> Tier:
    """Why not, of an engine that offers only these others besides what is not there."""
    judged = (*OPERATIONS, *(() if command.is_path(engine) else ("draft", "generate")))
    offers = f"offers {', '.join(others)}, and " if others else "offers "
    reason = f"{offers}no operation that is judged ({', '.join(judged)})"
    told = "; ".join(unjudged) or reason
    return Tier("contract", "unsupported", f"engine {engine!r}: {told}", 0.0)


def _conclude(report: Report) -> None:
    verdicts = {tier.verdict for tier in report.tiers}
    report.verdict = next(v for v in WORST_FIRST if v in verdicts)


def _replay(
    engine: str, rule: str | None, budget: str, seed: int, false_alarm: float
) -> str:
    words = ["specsim", "check", engine, "--budget", budget, "--seed", str(seed)]
    words += ["--false-alarm", f"{false_alarm:g}"]
    return shlex.join([*words, *(["--rule", rule] if rule else [])])
