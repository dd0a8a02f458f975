"""Draws that know of one another are found out; independent ones never are."""

from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle import cases, judge
from specsim.oracle.engines import planted
from specsim.oracle.independence import streams
from specsim.oracle.independence.lags import FAR, dependence, lags
from specsim.oracle.independence.pits import telling, uniforms
from specsim.oracle.independence.streams import IGNORED, STREAMS, Stream, Verifier

ROWS, CALLS = 8, 120
LAG = {
    "one-stream-for-all-rows": (0, 1),
    "one-stream-for-two-rows": (0, 1),
    "seed-of-step-plus-row": (1, -1),
    "stream-begins-anew": (16, 0),
    "counter-not-advanced": (1, 0),
    "coin-carried-over": (1, 0),
}
"""Calls and rows between draws that are tied."""


def draws(stream: Stream, rows: int, calls: int, seed: int) -> Any:
    """Numbers of the tokens of a batch, (calls, rows * tokens)."""
    world = telling()
    asked, odds = cases.calls(world, "verify")
    luck, own = (np.random.default_rng([seed, n]) for n in range(2))
    verifier = Verifier(stream)
    made = np.full((calls, rows, 3), np.nan)
    for t, r in np.ndindex(calls, rows):
        call = asked[own.choice(len(asked), p=np.array(odds, float))]
        p, q, tokens = call.arguments()
        block = verifier.row(p, q, tokens, luck, t, r)
        made[t, r] = uniforms(world, block, own)
    return made[:, :, 0] if rows > 1 else made[:, 0]


@pytest.mark.distribution
@pytest.mark.parametrize(("name", "lag"), LAG.items())
def test_every_tie_is_found_with_its_lag(name: str, lag: tuple[int, int]) -> None:
    fault = STREAMS[name]
    rows = ROWS if fault.batch else 1
    calls = CALLS if fault.batch else 3 * CALLS
    found = dependence(draws(fault.make(), rows, calls, 3))
    assert found.log10_e > 9.5
    assert found.lag == lag


@pytest.mark.distribution
@pytest.mark.parametrize("rows", [1, ROWS])
def test_independent_draws_are_never_found_tied(rows: int) -> None:
    found = [dependence(draws(Stream(), rows, 60, seed)).log10_e for seed in range(20)]
    assert sorted(found)[-3] < 1  # P(E >= 10) <= 1/10
    assert max(found) < 3


@pytest.mark.distribution
def test_the_numbers_of_right_blocks_are_uniform() -> None:
    """In every tile as many as there should be: binomial bounds at six deviations."""
    for u in draws(Stream(), 1, 4000, 5).T[:2]:
        seen = u[~np.isnan(u)]
        tiles = np.bincount((seen * 8).astype(int), minlength=8)
        n = len(seen)
        assert n > 1500
        assert np.all(abs(tiles - n / 8) < 6 * np.sqrt(n * 7 / 64))


def test_a_token_has_the_part_of_the_running_sum_that_is_its_own() -> None:
    world = telling()
    rng = np.random.default_rng(0)
    for token in (0, 1, 2, 33):
        low = world.truth(())[:token].sum()
        u = uniforms(world, [token], rng)
        assert low <= u[0] < low + world.truth(())[token]
        assert np.isnan(u[1:]).all()


def test_lags_reach_as_far_as_they_say() -> None:
    assert (FAR, 0) in lags(1)
    assert (0, ROWS - 1) in lags(ROWS)
    assert (1, -1) in lags(2)
    assert all(calls or rows > 0 for calls, rows in lags(ROWS))


def test_nothing_drawn_is_no_evidence() -> None:
    assert dependence(np.full((5, 2), np.nan)).log10_e == 0


ENGINES = f"{streams.__name__}:"


@pytest.mark.distribution
@pytest.mark.parametrize(
    "name", [fault.name for fault in STREAMS.values() if fault.kind == IGNORED]
)
def test_an_ignored_seed_is_told_from_a_tie(name: str) -> None:
    report = judge.check(ENGINES + name, budget="smoke")
    failed = [tier.name for tier in report.tiers if tier.verdict == "rejected"]
    assert failed == ["verify/rng/replay"], report.text()


@pytest.mark.distribution
def test_an_engine_whose_stream_begins_anew_is_told_after_how_many_calls() -> None:
    report = judge.check(ENGINES + "stream-begins-anew", budget="smoke")
    told = {tier.name: tier.detail for tier in report.tiers}
    assert told["verify/rng/independence/calls"].endswith("tied to 16 calls back")


@pytest.mark.distribution
def test_a_coin_carried_from_call_to_call_is_seen() -> None:
    report = judge.check(ENGINES + "coin-carried-over")
    verdicts = {tier.name: tier.verdict for tier in report.tiers}
    assert verdicts["verify/rng/drawn"] == "not_rejected"
    assert verdicts["verify/rng/independence/calls"] == "rejected", report.text()


@pytest.mark.distribution
def test_an_engine_with_luck_seeded_by_ours_passes() -> None:
    report = judge.check("tests.oracle.engines:own_luck", budget="smoke")
    verdicts = {tier.name: tier.verdict for tier in report.tiers}
    assert verdicts["verify/rng/replay"] == "exact"
    assert set(verdicts.values()) <= {"exact", "not_rejected", "inconclusive"}


@pytest.mark.distribution
def test_an_engine_that_promises_no_seeds_may_ignore_them() -> None:
    report = judge.check("tests.oracle.engines:ignores_seeds", budget="smoke")
    assert "verify/rng/replay" not in {tier.name for tier in report.tiers}
    assert "rejected" not in {tier.verdict for tier in report.tiers}
    assert any("seeds are not honoured" in note for note in report.notes)


def test_a_faulty_stream_can_be_checked_by_name_if_it_needs_no_batch() -> None:
    assert planted.spec("coin-carried-over").endswith("streams:coin-carried-over")
    for name in ("one-stream-for-all-rows", "nothing-forgotten"):
        with pytest.raises(Bad, match="which is no engine by itself"):
            planted.spec(name)
    with pytest.raises(Bad, match="no mutant is called 'nope'"):
        planted.spec("nope")
