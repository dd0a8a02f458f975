"""Small faults that nobody planted: what is planned finds them, and is stated."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from specsim.oracle import cases, power
from specsim.oracle.evidence import Evidence
from specsim.oracle.gathering import Goal, gathered
from specsim.oracle.report import Report, Tier
from specsim.oracle.unknown import TV, VOCAB, WORLDS, Unknown, arena

GOAL = Goal(0.005, VOCAB, WORLDS, WORLDS, 1e-9)
Rows = list[np.ndarray[Any, Any]]


def off_by(tv: float) -> Rows:
    """The rows of the worlds, the first one wrong: the least telling way to be so.

    Every token is off by as large a part of itself, which halves of the mass take turns
    at.
    """
    rows = [np.asarray(world.truth(()), float) for world in arena()]
    p, order = rows[0], np.argsort(-rows[0])
    sign = np.where(np.isin(np.arange(VOCAB), order[::2]), 1.0, -1.0)
    tilt = p * (sign - (p * sign).sum())
    rows[0] = p + tilt * tv / (np.abs(tilt).sum() / 2)
    return rows


def ended(rows: Rows, tokens: int, seed: int) -> float:
    """log10 E after so many first tokens of each world, counted at once."""
    rng = np.random.default_rng(seed)
    evidence = Evidence([world.truth for world in arena()], {})
    for case, row in enumerate(rows):
        counts = rng.multinomial(tokens, row / row.sum())
        evidence._at(case, ()).counts[:] = counts
    return evidence.valued()


@pytest.mark.distribution
def test_what_is_planned_finds_a_fault_of_half_a_percent() -> None:
    tokens = GOAL.blocks // WORLDS
    assert 1e6 < tokens < 2e6
    wrong = off_by(0.005)
    found = [ended(wrong, tokens, seed) >= 9 for seed in range(60)]
    assert all(found)
    assert max(ended(off_by(0), tokens, seed) for seed in range(20)) < 1


def test_the_plan_is_as_tight_as_was_once_simulated() -> None:
    """Runs of 2000 ended by then with odds 0.999: 1.25e6 and 2.05e6 tokens."""
    nats = 9 * np.log(10)
    assert power.tokens(0.005, 8, nats) == pytest.approx(1.25e6, rel=0.06)
    assert power.tokens(0.005, 64, nats) == pytest.approx(2.05e6, rel=0.06)


@pytest.mark.parametrize("tv", [0.1, 0.02, 0.005])
def test_what_is_found_is_the_inverse_of_what_is_planned(tv: float) -> None:
    assert power.found(power.tokens(tv, 16, 23.0), 16, 23.0) == pytest.approx(tv, 1e-3)
    assert power.found(0, 16, 23.0) == 1


class Answering:
    """As a host is asked for blocks: from rows, whatever the draft is."""

    spec = "here"

    def __init__(self, rows: Rows):
        self.rows = rows
        self.turn = 0

    def blocks(
        self, calls: Sequence[Any], which: list[int], seed: int, mode: str
    ) -> list[tuple[int, ...]]:
        row = self.rows[self.turn % WORLDS]
        self.turn += 1
        drawn = np.random.default_rng(seed).choice(VOCAB, len(which), p=row / row.sum())
        return [(int(token),) for token in drawn]


def judged(rows: Rows, budget: str = "full") -> Report:
    report = Report("here", "", 0, "")
    host: Any = Answering(rows)
    Unknown(host, "rng", budget, 0, 1e-9, report).run()
    return report


@pytest.mark.distribution
def test_a_fault_is_found_and_a_right_engine_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TV, "full", 0.05)
    (wrong,) = judged(off_by(0.05)).tiers
    (right,) = judged(off_by(0)).tiers
    assert (wrong.verdict, right.verdict) == ("rejected", "not_rejected")
    assert wrong.name == "verify/rng/unknown-fault"
    assert "for TV 0.05, power 0.999" in right.detail
    assert right.path[-1][0] >= Goal(0.05, VOCAB, WORLDS, WORLDS, 1e-9).blocks


def test_a_budget_without_it_asks_nothing() -> None:
    assert judged(off_by(0), "quick").tiers == []


def steps(blocks: int, log10_e: float = 0.0) -> Iterator[tuple[int, float]]:
    yield from ((blocks * n, log10_e) for n in range(1, 1000))


def tier(seconds: float, log10_e: float = 0.0) -> Tier:
    return gathered("a", steps(10_000_000, log10_e), GOAL, seconds)


def test_a_time_that_is_over_is_inconclusive_and_says_what_was_reached() -> None:
    short = gathered("a", steps(400_000), GOAL, -1.0)
    assert short.verdict == "inconclusive"
    assert short.detail.startswith("400,000 blocks, log10 E 0.0 (rejects at 9); plan")
    assert short.detail.endswith("so many find TV 0.019")
    assert tier(-1.0).verdict == "not_rejected"
    assert tier(-1.0, 9.1).verdict == "rejected"
    assert tier(-1.0, np.inf).log10_e == 1000


def test_worlds_have_no_zeros_so_that_no_fault_is_proven_at_once() -> None:
    for world in arena():
        assert min(world.truth(())) > 0
        assert len(cases.calls(world, "verify")[0]) == VOCAB
