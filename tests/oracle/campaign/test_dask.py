"""Campaigns on a dask cluster of two workers on this machine."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specsim.errors import Bad
from specsim.oracle.campaign import campaign, executors
from specsim.oracle.campaign.executors import EXECUTORS
from specsim.oracle.campaign.store import Store

distributed = pytest.importorskip("distributed", reason="needs dask's distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
HERE = "tests.oracle.campaign.works"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    how = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=2, processes=True, **how) as made:
        yield made


@pytest.mark.distribution
def test_two_workers_share_the_tasks_and_one_may_die(
    cluster: Any, tmp_path: Path
) -> None:
    """The first worker that is busy is killed; its task is done by another."""
    every = [*campaign.tasks([f"{HERE}:wrong"], range(4), budget="smoke")]
    killed: list[int] = []
    threading.Thread(target=kill_one, args=(cluster, killed), daemon=True).start()
    with (
        Store(tmp_path / "results") as store,
        EXECUTORS["dask"](1, cluster.scheduler_address) as executor,
    ):
        campaign.run(every, executor, store)
        assert killed
        assert all(store.done(task) for task in every)
        (found,) = campaign.verdicts(every, store, 1e-9)
    assert (found.verdict, found.tasks, found.raised) == ("rejected", 4, ())


def kill_one(cluster: Any, killed: list[int]) -> None:
    while True:
        for address, state in list(cluster.scheduler.workers.items()):
            if state.processing:
                (nanny,) = (
                    worker
                    for worker in cluster.workers.values()
                    if worker.worker_address == address
                )
                killed.append(nanny.pid)
                os.kill(nanny.pid, signal.SIGKILL)
                return
        time.sleep(0.05)


def test_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "CONNECTING", 1)
    with (
        pytest.raises(Bad, match=r"127\.0\.0\.1:9: no scheduler"),
        EXECUTORS["dask"](1, "127.0.0.1:9"),
    ):
        pass
