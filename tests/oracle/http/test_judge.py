"""The whole judge: what it runs, what it says, where it starts."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.oracle.endtoend.request import Request
from specsim.oracle.endtoend.trial import Trial
from specsim.oracle.http import judge, whole
from specsim.oracle.http.checks import drafts
from specsim.oracle.http.reference import Reference
from specsim.oracle.http.server import found
from specsim.oracle.http.stub.faults import FAULTS
from specsim.oracle.http.whole import Session
from specsim.oracle.probe import pair
from specsim.oracle.report import Report
from tests.oracle.http.stubs import ROWS, served


def some(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Run these checks alone."""
    monkeypatch.setattr(judge, "CHECKS", [ROWS[name] for name in names])
    monkeypatch.setattr(drafts, "look", lambda bench: None)


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some(monkeypatch, "length", "bans", "plain/greedy", "reference/numerics")
    with served() as url:
        code = main(["check", url, "--budget", "smoke", "--json", "-"])
    made = json.loads(capsys.readouterr().out)
    assert (code, made["verdict"]) == (0, "not_rejected")
    assert [tier["name"] for tier in made["tiers"]] == ["http/length", "http/bans"]
    assert made["replay"].startswith(f"specsim check {url}")
    assert "needs --plain-url or --reference" in " ".join(made["notes"])


def test_who_watches_sees_which_check_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    some(monkeypatch, "length", "bans")
    for watched in (True, False):
        seen = io.StringIO()
        monkeypatch.setattr(seen, "isatty", lambda watched=watched: watched)
        monkeypatch.setattr("sys.stderr", seen)
        with served() as url:
            judge.check(url, budget="smoke")
        assert ("check 2 of 2: http/bans" in seen.getvalue()) == watched
        assert bool(seen.getvalue()) == watched


def test_who_watches_sees_which_case_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "judge", lambda trial, case: None)
    monkeypatch.setattr(Trial, "judge_seeds", lambda trial: None)
    said: list[str] = []
    with served() as url:
        server = found(url, vocab=16)
        report = Report(url, "unsupported", 0, "")
        whole.run(server, None, "smoke", 0, 1e-9, report, said.append)
    assert len(said) > 5
    assert said[0].startswith("generate/served/")


def test_a_fault_is_red(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some(monkeypatch, "length", "bans")
    with served("length-in-whole-blocks") as url:
        assert main(["check", url + "/v1/", "--budget", "smoke"]) == 1
    assert "4 tokens, at most 1 asked for" in capsys.readouterr().out


def test_a_server_without_drafts_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    some(monkeypatch, "metrics", "length")
    with served(plain=True) as url:
        report = judge.check(url, budget="smoke")
    assert [tier.verdict for tier in report.tiers] == ["unsupported", "not_rejected"]
    assert report.exit_code == 0


def test_a_reference_of_another_model_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    some(monkeypatch, "reference/numerics")
    monkeypatch.setattr(pair, "target", pair.draft)
    other = Reference("probe")
    monkeypatch.undo()
    some(monkeypatch, "reference/numerics")
    monkeypatch.setattr("specsim.oracle.http.judge.Reference", lambda model: other)
    with served() as url:
        report = judge.check(url, budget="smoke", reference="other")
    assert report.verdict == "errored"
    assert "of another model" in report.trouble


@pytest.mark.parametrize("dialect", ["openai", "llama.cpp"])
def test_whole_engine_requests_over_http(dialect: str) -> None:
    with served(dialect=dialect) as url:
        session = Session(found(url, vocab=16))
        session.revive()
        asked = Request((3, 4, 5), 4, seed=5, top_k=3, logprobs=True)
        bare = Request((3, 4, 5), 4, seed=5, logit_bias={4: 2.0, 2: -9.0})
        answers = session.generate([asked, bare, asked])
    assert answers[0] == answers[2]
    assert answers[0].logprobs is not None
    assert answers[1].logprobs is None
    assert len(answers[1].tokens) == 4
    assert (answers[1].drafted is not None) == (dialect == "llama.cpp")


def test_the_stub_is_a_command() -> None:
    stub = [sys.executable, "-m", "specsim.oracle.http.stub"]
    listed = subprocess.run(
        [*stub, "--list"], capture_output=True, text=True, timeout=60, check=True
    )
    assert [line.split()[0] for line in listed.stdout.splitlines()] == [*FAULTS]
    with subprocess.Popen(
        [*stub, "--fault", "seed-ignored"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        offers = found(url).offers
        process.kill()
    assert {"ids", "seed", "choice"} <= offers


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["openai", "llama.cpp"])
def test_right_servers_pass_all_of_it(dialect: str) -> None:
    with served(dialect=dialect) as url, served(plain=True, dialect=dialect) as plain:
        report = judge.check(url, plain_url=plain, reference="probe", budget="smoke")
    wrong = {t.name: t.detail for t in report.tiers if t.verdict == "rejected"}
    assert not wrong
    assert report.verdict in ("not_rejected", "inconclusive")


@pytest.mark.slow
def test_the_law_of_the_probe_is_kept_in_each_case() -> None:
    with served("filters-on-the-last-row-alone") as url:
        report = judge.check(url, reference="probe", budget="smoke")
    red = {tier.name for tier in report.tiers if tier.verdict == "rejected"}
    assert {"generate/served/top-k", "generate/served/top-p"} <= red


def test_docs_name_the_tiers(pytestconfig: Any) -> None:
    page = (Path(pytestconfig.rootpath) / "docs/servers.md").read_text()
    for name in ROWS:
        assert f"http/{name.split('/')[0]}" in page, name
