"""The first worlds tell what no other shows, however an engine has to be read."""

from fractions import Fraction

import pytest

from specsim.oracle import cases, exact, reading
from specsim.oracle.engines.python import PythonEngine
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant
from specsim.oracle.reading import Reader
from specsim.oracle.worlds import World

HERE = "tests.oracle.engines"
NAMED = {world.name: world for world in cases.named()}
WRONG = {
    "accepts_by_the_first_row": "turning",
    "accepts_by_the_row_before": "turning",
    "corrects_by_the_first_row": "turning",
    "drafts_after_the_fourth": "long",
}
"""Engines that look at a wrong row, and the world of the core that shows it."""


@pytest.mark.parametrize(("name", "world"), WRONG.items())
@pytest.mark.parametrize("how", ["symbolic", "scripted"])
def test_a_wrong_row_is_seen_in_both_readings(name: str, world: str, how: str) -> None:
    assert wrong(name, NAMED[world], how)


@pytest.mark.parametrize("world", ["turning", "long"])
@pytest.mark.parametrize("name", ["chain", "block", "sampler_match"])
def test_right_engines_are_exact_there(name: str, world: str) -> None:
    with PythonEngine(f"{HERE}:{name}", 10) as engine:
        assert not Reader(engine, "verify", "rng", "symbolic").read(NAMED[world]).gaps
    assert not wrong(name, NAMED[world], "scripted")


def wrong(name: str, world: World, how: str) -> bool:
    with PythonEngine(f"{HERE}:{name}", 10) as engine:
        read = Reader(engine, "verify", "rng", how).read(world)
    return bool(reading.failures([read], how))


def test_rows_turn_with_the_level_and_with_the_draft() -> None:
    world = NAMED["turning"]
    for rows in world.target, world.drafter:
        after = [tuple(rows(prefix)) for prefix in [(), (0,), (1,)]]
        assert len({*after}) == 3
        assert all(all(row) for row in after)


@pytest.mark.parametrize("k", [8, 17])
def test_a_long_draft_has_few_ways_to_go(k: int) -> None:
    world = cases.long(k)
    calls, _ = cases.calls(world, "verify")
    assert (len(calls), len(calls[0].tokens)) == (2, k)
    assert len(exact.completed({(): Fraction(1)}, world.truth, k + 1)) == 8


@pytest.mark.parametrize("budget", ["smoke", "quick"])
def test_a_verdict_rests_on_both(budget: str) -> None:
    first = cases.chains(budget)[: cases.core("verify")]
    assert {"turning", "long"} <= {world.name for world in first}


@pytest.mark.parametrize(
    "name",
    [
        "accept-by-the-first-draft-row",
        "accept-by-the-draft-row-before",
        "residual-by-the-first-draft-row",
    ],
)
def test_planted_bugs_of_that_sort_depart_in_the_turning_world(name: str) -> None:
    mutant, world = MUTANTS[name], NAMED["turning"]
    assert isinstance(mutant, Mutant)
    assert exact.gaps(exact.emitted(mutant.verify, world), world.truth)
