"""The table of planted bugs: complete, and each killed where it has to be."""

import csv
from importlib.resources import files

import pytest

from specsim.oracle import matrix, planning
from specsim.oracle.fixtures import cover, growth, kept, law, searched
from specsim.oracle.mutants.table import Planted, table
from specsim.oracle.planted import Mutant, Wiring

LISTED = files("specsim.data").joinpath("faults.csv").read_text("utf-8")
LINES = csv.DictReader(LISTED.splitlines())
FAULTS = {row["fault"]: row["mutants"].split() for row in LINES}
ROWS = matrix.rows()
OTHERS = [row for row in ROWS if row.level not in ("loop", "verifier")]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_that_is_known_is_planted(fault: str) -> None:
    names = {row.name for row in table()}
    assert FAULTS[fault]
    assert {*FAULTS[fault]} <= names


def test_there_is_one_row_a_bug_and_all_levels_have_some() -> None:
    keys = [(row.level, row.name) for row in table()]
    assert len({*keys}) == len(keys) > 200
    levels = {row.level for row in table()}
    assert levels == {"verifier", "drafter", "loop", "stream", "wire", "api"}
    for row in table():
        assert row.kind
        assert row.line
        assert all("/" in report or " " in report for report in row.reports)


@pytest.mark.distribution
@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row.name)
def test_drafters_and_streams_are_killed_where_they_have_to_be(row: Planted) -> None:
    judged = matrix.judged(row.name)
    assert judged.killed, judged.says


@pytest.mark.distribution
@pytest.mark.parametrize(
    "name", ["residual-is-target", "accept-at-the-edge", "same-coins-each-step"]
)
def test_verifiers_and_loops_are_judged_by_their_tier(name: str) -> None:
    """One of each: all of them are in test_mutants and test_faults."""
    assert matrix.judged(name).killed


def test_a_bug_that_lives_is_shown() -> None:
    alive = matrix.Row("sample", "verifier", "law", {"law": "", "vectors": "abc"})
    assert not alive.killed
    (_, line) = matrix.text([alive])
    assert line.endswith("ALIVE at law")
    assert "lives" in line


BUGS = {bug.name: bug for bug in searched()}


def test_every_bug_with_a_law_was_searched_a_fixture_for() -> None:
    blind = {name for name in BUGS if name not in kept()}
    assert blind == {
        "epsilon-in-ratio",
        "sixteen-bit-ratio",
        "sixteen-bit-rows",
        "rounded-draft",
        "top-draft",
        "residual-of-the-drafts-race",
    }


@pytest.mark.distribution
@pytest.mark.parametrize("name", [*kept()][::5])
def test_a_fixture_is_worth_what_is_kept_of_it(name: str) -> None:
    fixture = kept()[name]
    assert growth(BUGS[name], fixture.world) == pytest.approx(fixture.nats, abs=1e-8)


@pytest.mark.distribution
def test_the_worlds_that_cover_all_find_bugs_sooner_than_others() -> None:
    """Of the chain's bugs with a plan, the worst one's blocks, as planned."""
    from specsim.oracle import cases

    bugs = [BUGS[n] for n in ("residual-is-target", "residual-without-draft")]
    usual = [w for w in cases.chains() if w.branching == (1, 1)][:8]
    blocks = []
    for worlds in (cover("verify"), usual):
        laws = {bug.name: [law(bug, world) for world in worlds] for bug in bugs}
        planned = planning.plan([w.truth for w in worlds], laws)
        blocks.append(max(planned.values()))
    assert blocks[0] < blocks[1] / 2
    assert all(isinstance(bug, (Mutant, Wiring)) for bug in bugs)
