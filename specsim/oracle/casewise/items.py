"""The tests that `pytest --specsim-engine` adds: one for each case of an engine."""

import shlex
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from specsim.errors import Bad
from specsim.oracle import declared, diagnosis, judge, reading, witnesses
from specsim.oracle.casewise.bench import Bench, Case, Outcome
from specsim.oracle.casewise.known import known_failures
from specsim.oracle.report import Report
from specsim.rules import named

MARK = "distribution: the law of what is emitted is right"


class Rejected(AssertionError):
    """The engine is wrong in this case."""


class Broke(Exception):
    """There is no verdict: the engine raised, hung or died."""


def register(config: pytest.Config) -> None:
    """Let the engine's cases into this run. UsageError where that cannot be."""
    config.addinivalue_line("markers", MARK)
    try:
        config.pluginmanager.register(Cases(config), "specsim-cases")
    except Bad as error:
        raise pytest.UsageError(f"specsim: {error}") from None


class Cases:
    """The hooks, while an engine is judged: it is started when tests are collected."""

    def __init__(self, config: pytest.Config):
        self.engine: str = config.getoption("specsim_engine")
        self.budget: str = config.getoption("specsim_budget") or "quick"
        self.wanted: list[str] = config.getoption("specsim_case") or []
        folder = config.getoption("specsim_report")
        self.folder = Path(folder) if folder else None
        if self.folder and hasattr(config, "workerinput"):
            raise Bad("--specsim-report needs one process: leave out -n")
        rule = config.getoption("specsim_rule")
        self.rule = named(rule) if rule else None
        known = config.getoption("specsim_known_fail")
        self.known = known_failures(Path(known)) if known else {}
        self.bench: Bench | None = None
        self.outcomes: list[tuple[Case, Outcome]] = []
        self.start = time.monotonic()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        try:
            host = judge.hosted(self.engine, judge.TIMEOUT[self.budget])
            self.bench = Bench(host, self.budget, 1e-9, self.rule)
            made = [
                CaseItem.from_parent(
                    session,
                    name=case.id,
                    nodeid=f"specsim/{case.id}",
                    case=case,
                    cases=self,
                )
                for case in self.bench.cases()
            ]
            chosen: list[pytest.Item] = [*self._chosen(made)]
        except Bad as error:
            raise pytest.UsageError(f"specsim: {error}") from None
        items += chosen
        told = pytest.CollectReport("specsim", "passed", None, [*chosen])
        session.ihook.pytest_collectreport(report=told)

    def _chosen(self, made: list["CaseItem"]) -> Iterator["CaseItem"]:
        ids = {item.nodeid for item in made}
        for unknown in self.known.keys() - ids:
            raise Bad(f"--specsim-known-fail: {unknown!r} is no case of this engine")
        for pattern in self.wanted:
            if not any(fnmatchcase(id_, pattern) for id_ in ids):
                raise Bad(f"--specsim-case: {pattern!r} matches no case")
        for item in made:
            if (reason := self.known.get(item.nodeid)) is not None:
                strict = pytest.mark.xfail(strict=True, raises=Rejected, reason=reason)
                item.add_marker(strict)
            wanted = (fnmatchcase(item.nodeid, pattern) for pattern in self.wanted)
            if not self.wanted or any(wanted):
                yield item

    def judge(self, case: Case) -> Outcome:
        assert self.bench
        outcome = self.bench.judge(case)
        self.outcomes.append((case, outcome))
        return outcome

    def again(self, nodeid: str) -> str:
        """The command that runs one case."""
        words = ["pytest", "--specsim-engine", self.engine, "--specsim-case", nodeid]
        words += ["--specsim-budget", self.budget]
        words += ["--specsim-rule", self.rule.name] if self.rule else []
        return shlex.join([*words, "-m", "distribution"])

    def pytest_sessionfinish(self) -> None:
        if self.bench:
            self.bench.host.close()
        if self.folder and self.outcomes:
            self._write(self.folder, self.report)

    def _write(self, folder: Path, report: Report) -> None:
        from specsim.oracle.reporting import html, junit, results

        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in {
                "report.json": results.document(report),
                "report.html": html.page(report),
                "junit.xml": junit.document(report),
            }.items():
                (folder / name).write_text(text, "utf-8")
        except OSError as error:
            raise pytest.UsageError(
                f"--specsim-report {folder}: {error.strerror}"
            ) from None

    @cached_property
    def report(self) -> Report:
        """All cases that were judged as one report; asked for once they were."""
        tiers = [outcome.tier for _, outcome in self.outcomes]
        verdicts = {tier.verdict for tier in tiers}
        verdict = next(v for v in judge.WORST_FIRST if v in verdicts)
        again = ["pytest", "--specsim-engine", self.engine, "-m", "distribution"]
        report = Report(self.engine, verdict, 0, shlex.join(again), tiers=tiers)
        report.law = declared.law(self.rule if self.rule and self.rule.lossy else None)
        drawn = [tier.log10_e for tier in tiers if tier.log10_e is not None]
        report.log10_e = max(drawn, default=None)
        report.seconds = round(time.monotonic() - self.start, 3)
        self._explain(report)
        return report

    def _explain(self, report: Report) -> None:
        """The smallest failing case, and what fits all of them."""
        wrong = [outcome for _, outcome in self.outcomes if outcome.witness]
        if wrong:
            report.witness, report.diagnosis = wrong[0].witness, wrong[0].diagnosis
        for tree in (False, True):
            reads = [
                outcome.read
                for case, outcome in self.outcomes
                if outcome.read and (case.operation == "verify_tree") == tree
            ]
            failed = reading.failures(reads, "symbolic")
            if failed:
                report.diagnosis = diagnosis.diagnose(reads, failed, tree)
                report.witness = witnesses.computed(failed[0])
            elif reads:
                report.excluded += diagnosis.excluded(reads, tree)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        if not self.outcomes:
            return
        report = self.report
        terminalreporter.section(f"specsim: {report.engine}")
        asked = f"{len(report.tiers)} case{'s' if len(report.tiers) > 1 else ''}"
        terminalreporter.line(f"{report.headline} in {asked}")
        for known in report.diagnosis[:3]:
            terminalreporter.line(f"resembles {known.name}: {known.line}")
        if self.folder:
            terminalreporter.line(f"report: {self.folder / 'report.html'}")


class CaseItem(pytest.Item):
    """One case as a test."""

    def __init__(self, *, case: Case, cases: Cases, **item: Any):
        super().__init__(**item)
        self.case, self.cases = case, cases
        self.add_marker("distribution")

    def runtest(self) -> None:
        outcome = self.cases.judge(self.case)
        tier = outcome.tier
        self.user_properties.append(("specsim_verdict", tier.verdict))
        if tier.log10_e is not None:
            self.user_properties.append(("specsim_log10_e", tier.log10_e))
        if outcome.aside:
            self.add_report_section("call", "specsim", outcome.aside)
        if tier.verdict == "rejected":
            raise Rejected("\n".join(shown(outcome)))
        if tier.verdict == "errored":
            raise Broke(tier.detail)
        if tier.verdict in ("unsupported", "inconclusive"):
            pytest.skip(tier.detail)

    def repr_failure(self, excinfo: Any, style: Any = None) -> str:
        if not isinstance(excinfo.value, (Rejected, Broke)):
            return str(super().repr_failure(excinfo, style))
        return f"{excinfo.value}\nagain: {self.cases.again(self.nodeid)}"

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.nodeid


def shown(outcome: Outcome) -> list[str]:
    """A failing case in few lines, what matters first."""
    if not (w := outcome.witness):
        return [outcome.tier.detail]
    after = f"after {list(w.prefix)}" if w.prefix else "as the first token"
    return [
        f"token {w.token} {after}: wanted {w.want}, got {w.got}",
        *(f"  p({key}) = {' '.join(row)}" for key, row in w.p.items()),
        *(f"  q({key}) = {' '.join(row)}" for key, row in w.q.items()),
        f"  {outcome.tier.detail}",
        *(f"  resembles {m.name}: {m.line}" for m in outcome.diagnosis[:1]),
    ]
