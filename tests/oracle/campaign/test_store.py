"""What is kept stays, whatever ends the campaign; what is not ours is refused."""

import json
import os
from pathlib import Path

import pytest

from specsim.errors import Bad
from specsim.oracle.campaign.store import Store
from specsim.oracle.campaign.task import Task

ONE, TWO = Task("a:b", 0), Task("a:b", 1)
REPORT = {"report": {"verdict": "exact", "tiers": []}}


def test_a_task_is_named_by_all_that_is_asked() -> None:
    others = [
        Task("a:c", 0),
        TWO,
        Task("a:b", 0, "full"),
        Task("a:b", 0, false_alarm=1e-6),
        Task("a:b", 0, rule="chain"),
    ]
    assert Task("a:b", 0).key == ONE.key
    assert len({ONE.key, *(task.key for task in others)}) == 6


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "results"
    with Store(file) as store:
        assert ONE not in store
        store.keep(ONE, REPORT)
        store.keep(TWO, {"raised": "no such engine"})
    with Store(file) as store:
        assert store[ONE] == REPORT
        assert store.done(ONE)
        assert TWO in store
        assert not store.done(TWO)
        store.keep(TWO, REPORT)
    with Store(file) as store:
        assert store.done(TWO)


@pytest.mark.parametrize("lost", [1, 20, 1_000])
def test_half_a_line_is_cut_off_and_nothing_else_lost(
    tmp_path: Path, lost: int
) -> None:
    file = tmp_path / "results"
    with Store(file) as store:
        store.keep(ONE, REPORT)
    whole = file.stat().st_size
    with Store(file) as store:
        store.keep(TWO, REPORT)
    os.truncate(file, max(whole, file.stat().st_size - lost))
    with Store(file) as store:
        assert store.done(ONE)
        assert TWO not in store
        store.keep(TWO, REPORT)
    lines = file.read_text().splitlines()
    assert [json.loads(line)["task"]["seed"] for line in lines] == [0, 1]


def test_two_campaigns_do_not_write_in_one_store(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "results"),
        pytest.raises(Bad, match="another campaign writes there"),
    ):
        Store(tmp_path / "results")


ROWS = {
    "not json": "no result of a campaign",
    "[]": "no result of a campaign",
    '{"key": 3}': "no result of a campaign",
    '{"key": "k", "format": 99}': "another format",
    '{"key": "k", "format": 1, "report": []}': "its report is none",
}


@pytest.mark.parametrize(("line", "said"), ROWS.items())
def test_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "mine"
    file.write_text(line + "\n")
    for _ in range(2):
        with pytest.raises(Bad, match=f"line 1: {said}"):
            Store(file)
    assert file.read_text() == line + "\n"


def test_a_store_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(Bad, match="No such file"):
        Store(tmp_path / "nowhere" / "results")
