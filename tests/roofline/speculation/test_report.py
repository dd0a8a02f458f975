"""The answer in words and as JSON."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.roofline import deploy
from specsim.roofline.speculation import Report, report, speculate, text
from specsim.roofline.speculation.acceptance import Emitted
from specsim.roofline.speculation.drafters import DRAFTER_COSTS, Drafter
from specsim.roofline.speculation.search import BreakEven

KEYS = {
    "tokens_per_step", "speedup", "best_k", "break_even_batch", "draft_ms", "verify_ms",
    "plain_ms", "step_ms", "draft_bytes", "draft_kv_bytes", "spare_bytes", "max_batch",
}  # fmt: skip


def made(name: str = "eagle3", model: str = "8b", **asked: Any) -> Report:
    return report(deploy(model, "h100"), name, **({"alpha": 0.7} | asked))


@pytest.mark.parametrize("row", DRAFTER_COSTS.values(), ids=lambda row: row.name)
def test_every_drafter_is_reported(row: Drafter) -> None:
    model = "1b" if row.kind == "model" else None
    found = made(row.name, draft_model=model)
    said = json.loads(json.dumps(found.as_dict()))
    assert said.keys() >= KEYS
    assert len(text(found).splitlines()) < 20
    assert all(len(line) < 110 for line in text(found).splitlines())


def test_the_figures_are_those_of_the_price() -> None:
    priced = speculate(deploy("8b", "h100"), "eagle3", alpha=0.7)
    said = made().as_dict()
    assert said["speedup"] == priced.speedup
    assert said["verified_tokens"] == 60
    parts = said["draft_ms"] + said["verify_ms"] + said["overhead_ms"]
    assert said["step_ms"] == pytest.approx(parts)
    assert said["speedup"] == pytest.approx(
        said["tokens_per_step"] * said["plain_ms"] / said["step_ms"]
    )
    assert said["best_tree"]["speedup"] >= 0.99 * said["speedup"]
    assert said["speedup_low"] < said["speedup"] < said["speedup_high"]


def test_measured_tokens_leave_nothing_to_search() -> None:
    said = made(alpha=Emitted(3.2), k=4, tree=0).as_dict()
    assert said["best_k"] is None
    assert said["tokens_std"] is None
    assert said["tokens_per_step"] == 3.2


def test_a_price_makes_a_cost() -> None:
    found = made(gpu_hour=2.0)
    said = found.as_dict()
    ratio = said["plain_dollars_per_million"] / said["dollars_per_million"]
    assert ratio == pytest.approx(said["speedup"])
    assert "cost" in text(found)
    assert "cost" not in text(made())


def test_what_does_not_fit_is_said() -> None:
    found = report(deploy("8b", "4090"), "eagle3", alpha=0.7, batch=500)
    assert "SHORT" in text(found)
    assert "hypothetical" in text(found)


def losing(*ranges: tuple[int, int]) -> str:
    """The line on batches that lose."""
    first = ranges[0][0] if ranges else None
    found = replace(made(), break_even=BreakEven(first, ranges, 4096))
    (line,) = (each for each in text(found).splitlines() if each.startswith("loses"))
    return line.removeprefix("loses").strip()


def test_losing_batches_are_few_ranges_and_how_many_fit() -> None:
    fit = f"; {int(made().made.max_batch):,} sequences fit"
    assert losing() == "at no batch up to 4,096" + fit
    assert losing((1, 1), (3, 5), (9, 9)) == "at batches 1 to 9" + fit
    assert losing((2, 2), (7, 8)) == "at batches 2 and 7 to 8" + fit
    near = (1000, 1100), (1111, 1200), (1300, 4096)
    assert losing(*near) == "at batches 1,000 to 1,200 and from 1,300" + fit
    many = (1, 2), (10, 20), (30, 40), (50, 60), (70, 4096)
    shown = "at batches 1 to 2 and 10 to 20 and 30 to 40 and 2 ranges more"
    assert losing(*many) == shown + fit


def test_the_deviation_is_of_one_step() -> None:
    assert "2.53 tokens on average (a step: give or take 1.2)" in text(
        made(k=3, tree=0)
    )
    assert "3.2 tokens a step\n" in text(made(alpha=Emitted(3.2), k=4, tree=0))


def test_losing_everywhere_is_said() -> None:
    found = made("draft", draft_model="3b", alpha=0.05, k=4)
    assert found.break_even.first == 1
    assert "from 1" in text(found)
    assert "no chain" in text(found)


@pytest.mark.parametrize(
    "wrong",
    [{"gpu_hour": -1}, {"gpu_hour": float("nan")}, {"batch": np.array([1, 2])},
     {"alpha": np.array([0.5, 0.6]), "tree": 0}],
)  # fmt: skip
def test_a_report_is_of_one_scenario(wrong: dict[str, Any]) -> None:
    with pytest.raises(Bad):
        made(**wrong)
