"""Hugging Face transformers' own verification function, as the package installs it."""

import pytest

from specsim.oracle import judge, trial

pytestmark = [pytest.mark.engine, pytest.mark.distribution]
pytest.importorskip("transformers")


def test_its_law_is_exact_to_single_precision_and_its_edges_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(trial.LAW_SECONDS, "quick", (0.0, 600.0))  # the core, all of it
    report = judge.check("specsim.oracle.engines.transformers:verify")
    assert report.verdict == "exact_within", report.text()
    assert report.exit_code == 0
    assert len(report.excluded) > 25
    zero, tie = report.findings
    assert "coin is 0" in zero.name
    assert zero.got == "[1, 0]"
    assert "nothing is left" in tie.name
    assert tie.got.startswith("RuntimeError: probability tensor")
    for found in report.findings:
        assert found.call["tokens"]
        assert len(found.call["q"]) == 1
