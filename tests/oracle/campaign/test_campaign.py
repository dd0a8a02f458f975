"""Campaigns: resumed, redone where a worker dies, stopped by nothing that raises."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle.campaign import campaign, task
from specsim.oracle.campaign.executors import EXECUTORS
from specsim.oracle.campaign.store import Store

HERE = "tests.oracle.campaign.works"


class AtOnce(Executor):
    """Runs a stand-in for `work` when it is submitted."""

    def __init__(self, fails: bool = False):
        self.asked: list[dict[str, Any]] = []
        self.fails = fails

    def submit(self, work: Any, asked: dict[str, Any]) -> Future[Any]:  # type: ignore[override]
        self.asked.append(asked)
        future: Future[Any] = Future()
        if self.fails:
            future.set_exception(RuntimeError("all its workers died"))
        else:
            future.set_result({"report": {"verdict": "exact", "tiers": []}})
        return future


def test_only_what_is_missing_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = [*campaign.tasks(["a", "b"], range(3), budget="smoke")]
    assert [each.engine for each in every[:2]] == ["a", "b"]
    with Store(tmp_path / "results") as store:
        campaign.run(every[:4], AtOnce(), store)
    rest = AtOnce()
    with Store(tmp_path / "results") as store:
        campaign.run(every, rest, store)
        found = campaign.verdicts(every, store, 1e-9)
    assert [asked["seed"] for asked in rest.asked] == [2, 2]
    assert [(each.engine, each.tasks) for each in found] == [("a", 3), ("b", 3)]
    assert "4 of 6 tasks" in capsys.readouterr().err


def test_what_an_executor_raises_is_recorded_and_tried_again(tmp_path: Path) -> None:
    every = [*campaign.tasks(["a"], range(2))]
    with Store(tmp_path / "results") as store:
        campaign.run(every, AtOnce(fails=True), store)
        (found,) = campaign.verdicts(every, store, 1e-9)
        assert found.raised == ("RuntimeError: all its workers died",) * 2
        campaign.run(every, again := AtOnce(), store)
        assert len(again.asked) == 2
        assert campaign.verdicts(every, store, 1e-9)[0].verdict == "exact"


@pytest.mark.parametrize(("times", "verdict"), [(2, "exact"), (3, None)])
def test_a_task_whose_process_is_killed_is_redone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, verdict: str | None
) -> None:
    """Its engine kills it the first few times; then it is given up."""
    monkeypatch.setenv("COUNTED", str(tmp_path / "counted"))
    asked = {"engine": f"{HERE}:kills_{times}", "seed": 0, "budget": "smoke"}
    outcome = task.work(asked)
    if verdict:
        assert outcome["report"]["verdict"] == verdict
    else:
        assert outcome == {"raised": "a task: its process died (signal 9), 3 times"}


def test_one_engine_that_raises_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engines = [f"{HERE}:wrong", "no.such:engine"]
    how = ["--budget", "smoke", "--seeds", "1", "--workers", "2"]
    store = ["--store", str(tmp_path / "results")]
    assert main(["campaign", *engines, *how, *store, "--json", "-"]) == 2
    first, second = json.loads(capsys.readouterr().out)["engines"]
    assert first["verdict"] == "rejected"
    assert second["verdict"] == "errored"
    assert "No module named 'no'" in second["raised"][0]
    assert main(["campaign", engines[0], *how, *store]) == 1
    assert capsys.readouterr().out.split()[:3] == [engines[0], "rejected", "1"]


def test_a_campaign_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    store = tmp_path / "results"
    command = [sys.executable, "-m", "specsim", "campaign", f"{HERE}:wrong"]
    command += ["--budget", "smoke", "--seeds", "2", "--store", str(store)]
    killed = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not (store.exists() and store.read_bytes().count(b"\n")):
        assert killed.poll() is None
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = store.read_bytes()
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 1
    assert store.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    rows = [json.loads(line) for line in store.read_text().splitlines()]
    assert sorted(row["task"]["seed"] for row in rows) == [0, 1]


WRONG = {
    "--seeds 0": "one at least",
    "--workers 0": "one at least",
    "--false-alarm 2": "between 0 and 1",
    "--executor dask": "needs --scheduler-address",
    "--scheduler-address here:1": "is of --executor dask",
}


@pytest.mark.parametrize(("options", "said"), WRONG.items())
def test_bad_options_are_told_on_one_line(
    options: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "results")]
    assert main(["campaign", "a:b", *store, *options.split()]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1


def test_dask_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(Bad, match=r"specsim-llm\[cluster\]"),
        EXECUTORS["dask"](1, "127.0.0.1:1"),
    ):
        pass
