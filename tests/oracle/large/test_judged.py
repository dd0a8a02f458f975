"""A check with room for it asks at large too, and for small faults what it samples."""

import pytest

from specsim.oracle import judge, unknown
from specsim.oracle.engines import planted
from specsim.oracle.large import faults, trial

MORE = "large-vocabulary", "unknown-fault"


@pytest.fixture
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    for part in (trial, unknown):
        monkeypatch.setitem(part.TV, "smoke", 0.3)
        monkeypatch.setitem(part.SECONDS, "smoke", 0.2)


@pytest.mark.usefixtures("roomy")
@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("own_luck", {"verify/rng/large-vocabulary", "verify/rng/unknown-fault"}),
        ("chain", {"verify/rng/large-vocabulary"}),
        ("Tree", set()),
    ],
)
def test_who_is_asked_what(engine: str, expected: set[str]) -> None:
    report = judge.check(f"tests.oracle.engines:{engine}", budget="smoke")
    found = {tier.name for tier in report.tiers if tier.name.endswith(MORE)}
    assert found == expected
    for tier in report.tiers:
        if tier.name in expected:
            assert "for TV 0.3, power 0.999" in tier.detail


def test_a_planted_one_is_an_engine_by_its_name() -> None:
    assert planted.spec("padding-leak") == faults.spec("padding-leak")
    with pytest.raises(AttributeError, match="no planted verifier"):
        faults.__getattr__("none-such")
