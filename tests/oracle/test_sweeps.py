"""Lengths and vocabularies that the law's own worlds do not have."""

import pytest

from specsim.oracle import exact, judge, sweeps
from specsim.oracle.engines.python import PythonEngine
from specsim.oracle.reading import Reader
from specsim.oracle.report import Report, Tier
from specsim.oracle.sweeps import LENGTHS, Sweep, long, wide
from specsim.rules import RULES

HERE = "tests.oracle.engines"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setitem(sweeps.SECONDS, "smoke", 60.0)
    monkeypatch.setattr(sweeps, "LENGTHS", (5, 1, 9, 2, 17, 3, 33, 8))


def swept(name: str) -> dict[str, Tier]:
    report = Report(name, "unsupported", 0, "")
    with PythonEngine(f"{HERE}:{name}", 60.0) as host:
        Sweep(Reader(host, "verify", "rng", "symbolic"), "smoke", report).run()
    return {tier.name.rpartition("/")[2]: tier for tier in report.tiers}


@pytest.mark.distribution
@pytest.mark.parametrize("name", ["chain", "sampler_match", "AsksForMore"])
def test_right_engines_are_exact_at_every_length_and_width(name: str) -> None:
    verdicts = {what: tier.verdict for what, tier in swept(name).items()}
    assert verdicts == {"lengths": "exact", "words": "exact"}


@pytest.mark.distribution
def test_coins_that_begin_anew_are_seen_where_a_draft_is_long_enough() -> None:
    tier = swept("sixteen_are_enough")["lengths"]
    assert tier.verdict == "rejected"
    assert tier.detail.endswith("wrong at 33")


@pytest.mark.distribution
def test_words_that_share_a_number_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert swept("a_byte_a_word")["words"].verdict == "exact"
    monkeypatch.setitem(sweeps.WORDS, "smoke", 259)
    assert swept("a_byte_a_word")["words"].verdict == "rejected"


def test_an_engine_may_have_a_greatest_length() -> None:
    tier = swept("eight_at_most")["lengths"]
    assert tier.verdict == "exact"
    assert "it fails in length-9: ValueError: 8 drafted tokens at most" in tier.detail


def test_what_is_wrong_is_told_before_what_was_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = Sweep._read
    monkeypatch.setattr(Sweep, "_read", lambda *asked: (read(*asked)[0], "time ended"))
    said = swept("sixteen_are_enough")["lengths"].detail
    assert said.endswith("; wrong at 33; not all were read: time ended")


@pytest.mark.parametrize("k", [1, 4, 9])
def test_long_worlds_have_two_drafts_and_a_right_rule_is_exact_there(k: int) -> None:
    law = exact.emitted(RULES["chain"].verify, long(k))
    assert not exact.gaps(law, long(k).truth)
    assert any(len(block) == k + 1 for block in law)
    drafted = {d.tokens for d in exact.drafts(RULES["chain"].verify, long(k))}
    assert len(drafted) == 2


def test_a_wide_world_is_a_small_one_with_other_names() -> None:
    world = wide(67)
    row = world.target(())
    assert sum(row) == 1
    assert {i for i, w in enumerate(row) if w} <= {0, 33, 66}
    assert not exact.gaps(exact.emitted(RULES["chain"].verify, world), world.truth)


def test_the_sweep_goes_past_powers_of_two() -> None:
    assert {*range(1, 18), 31, 32, 33, 64, 65} == {*LENGTHS}


@pytest.mark.distribution
def test_a_check_sweeps_what_it_could_read() -> None:
    report = judge.check(f"{HERE}:chain", budget="smoke")
    names = [tier.name for tier in report.tiers]
    assert names == ["verify/rng/law", "verify/rng/lengths", "verify/rng/words"]
