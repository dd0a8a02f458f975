"""No verdict here depends on how busy the machine is."""

import pytest

from specsim.oracle import judge, sampling, trial


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """`smoke` reads the core, however long that takes, and draws all its blocks."""
    monkeypatch.setitem(trial.LAW_SECONDS, "smoke", (0.0, 60.0))
    monkeypatch.setitem(sampling.SECONDS, "smoke", 60.0)
    monkeypatch.setitem(judge.TIMEOUT, "smoke", 60.0)
