"""E-values of many tasks: what one shows, what all show a little of, what is wrong."""

import math
from typing import Any

import pytest

from specsim.oracle.campaign.combined import averaged, combined, ended
from specsim.oracle.campaign.task import Outcome


def report(verdict: str, *paths: list[tuple[int, float]]) -> Outcome:
    tiers: list[dict[str, Any]] = [{"path": path} for path in paths]
    return {"report": {"verdict": verdict, "tiers": tiers}}


def sampled(log10_e: float) -> Outcome:
    return report("not_rejected", [(100, 8.5), (200, log10_e)])


def test_a_task_ends_with_its_last_value_and_not_its_highest() -> None:
    assert ended(sampled(1.5)["report"]) == 1.5
    two = report("not_rejected", [(1, 3.0)], [], [(1, 0.0)])
    assert ended(two["report"]) == pytest.approx(math.log10((1000 + 1) / 2))
    assert ended(report("exact", [])["report"]) is None


def test_what_every_task_shows_a_little_of_is_shown_by_the_product() -> None:
    found = combined("e", [sampled(1.0)] * 10, 1e-9)
    assert (found.log10_mean, found.log10_product) == pytest.approx((1.0, 10.0))
    assert found.log10_e == pytest.approx(10 - math.log10(2))
    assert found.verdict == "rejected"
    assert combined("e", [sampled(1.0)] * 10, 1e-12).verdict == "not_rejected"


def test_what_one_task_alone_shows_is_shown_by_the_mean() -> None:
    found = combined("e", [sampled(12.0), *[sampled(-3.0)] * 9], 1e-9)
    assert found.log10_mean == pytest.approx(11.0)
    assert found.log10_product == pytest.approx(-15.0)
    assert found.verdict == "rejected"


def test_the_worst_of_the_tasks_is_said_of_the_engine() -> None:
    assert combined("e", [report("exact")] * 3, 1e-9).log10_e is None
    assert combined("e", [report("exact")] * 3, 1e-9).verdict == "exact"
    two = [report("exact"), report("rejected")]
    assert combined("e", two, 1e-9).verdict == "rejected"
    found = combined("e", [sampled(0.0), {"raised": "it fell over"}], 1e-9)
    assert found.verdict == "errored"
    assert "1 raised, first: it fell over" in found.text()
    assert combined("e", [], 1e-9).verdict == "unsupported"


def test_proof_stays_finite() -> None:
    found = combined("e", [sampled(1000.0)] * 3, 1e-9)
    assert found.log10_product == 1000
    assert found.log10_e == pytest.approx(1000, abs=1)
    assert averaged([-1000.0, -1000.0]) == pytest.approx(-1000)
