"""A whole check of a whole engine, in a process of its own."""

import pytest

from specsim.oracle import judge
from specsim.oracle.endtoend import judge as endtoend
from specsim.oracle.endtoend import trial
from specsim.oracle.report import Report, Tier

HERE = "tests.oracle.endtoend.small"


def checked(name: str) -> tuple[Report, dict[str, Tier]]:
    report = judge.check(f"{HERE}:{name}", budget="smoke")
    return report, {tier.name: tier for tier in report.tiers}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(trial.ANSWERS, "smoke", 12)


def test_control_and_speculation_are_judged_case_by_case() -> None:
    report, tiers = checked("Long")
    assert (report.verdict, report.exit_code) == ("rejected", 1)
    assert next(iter(tiers)) == "generate/plain/sampled"
    wrong = tiers["generate/draft-model/max-tokens"]
    assert wrong.verdict == "rejected"
    assert "tokens where" in wrong.detail
    assert tiers["generate/plain/max-tokens"].verdict == "inconclusive"  # too few
    assert tiers["generate/draft-model/counts"].verdict == "not_rejected"
    assert "generate/plain/seeds" in tiers
    assert "generate/plain/top-k" not in tiers


def test_an_engine_that_dies_is_told_and_the_rest_is_judged() -> None:
    report, tiers = checked("Dies")
    assert (report.verdict, report.exit_code) == ("errored", 2)
    assert "died (exit code 7)" in tiers["generate/draft-model/contract"].detail
    assert tiers["generate/plain/sampled"].verdict == "inconclusive"


def test_an_engine_that_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(endtoend.PATIENCE, "smoke", 3.0)
    report, tiers = checked("Hangs")
    assert report.verdict == "errored"
    assert "hangs" in tiers["generate/draft-model/sampled"].detail


def test_an_engine_that_says_too_little_is_told_and_not_judged() -> None:
    report, tiers = checked("Unsaid")
    assert (report.verdict, report.exit_code) == ("unsupported", 2)
    assert "no attribute format: say in which form it loads a model" in report.trouble
    assert "docs/whole_engines.md" in report.trouble
    assert list(tiers) == ["contract"]
