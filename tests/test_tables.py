"""The table of rules: its facts are found, its lines are whole."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from specsim import facts, tables
from specsim.compare import examples, kinds, worked, worked_shape
from specsim.drafters import DRAFTERS, unsound
from specsim.oracle.worlds import World
from specsim.rules import RULES, Rule, named
from specsim.seam import proposal, randomness

ROOT = Path(__file__).parent.parent
Q_FREE = {"greedy", "sampler_match", "gumbel", "one_hot", "target_only"}


class Listening:
    """A Source that hands each question on, and notes what it was about."""

    def __init__(self, source: randomness.Source, heard: set[str]):
        self._source, self._heard = source, heard

    def __getattr__(self, coin: str) -> Any:
        self._heard.add(coin)
        return getattr(self._source, coin)


def test_rules_that_compare_with_the_target_alone_need_no_q() -> None:
    assert not any(facts.reads_q(named(name)) for name in Q_FREE)


def test_rules_that_weigh_p_against_q_need_it() -> None:
    weighing = [rule for rule in RULES.values() if rule.losslessness == "marginal"]
    assert all(map(facts.reads_q, weighing))


def test_a_twin_declares_what_is_found_out_of_its_reference(rule: Rule) -> None:
    if rule.has_twin:
        twin = (ROOT / "gpu" / "verify" / f"{rule.name}.py").read_text()
        assert f"reads_q={facts.reads_q(rule)}" in twin


def test_docstrings_name_the_coins_that_are_tossed(rule: Rule) -> None:
    heard: set[str] = set()
    for kind in kinds(rule):
        world = World("", *examples()["two words"], worked_shape(rule), kind)

        def run(source: randomness.Source, world: World = world) -> tuple[int, ...]:
            drafted = world.draft(source)
            p = proposal.score(world.target, drafted)
            return tuple(rule.verify(p, drafted, Listening(source, heard)))

        randomness.law(run)
    assert heard == {*facts.coins(rule)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("chain", "iid"),
        ("gumbel", "coupled"),
        ("hub", "hub"),
        ("greedy", "iid"),
        ("thresholds", "without_replacement"),
    ],
)
def test_the_draft_a_rule_is_for(name: str, kind: str) -> None:
    assert facts.made_for(named(name)) == kind


def test_a_row_a_rule() -> None:
    rows = tables.rules_rows()
    assert [row["name"] for row in rows] == list(RULES)
    for row in rows:
        rule = named(row["name"])
        assert row["losslessness"] == rule.losslessness
        assert row["reads_q"] == facts.reads_q(rule)
        assert row["branching"] == worked_shape(rule)
        two = worked(rule, facts.made_for(rule), "two words")
        assert Fraction(row["tokens_per_step"]["two words"]) == two


def test_a_line_a_rule() -> None:
    head, *lines = tables.rules_text().splitlines()
    assert [line.split()[0] for line in lines[: len(RULES)]] == list(RULES)
    assert not lines[len(RULES)]
    found = dict(zip(RULES, lines, strict=False))
    assert " ".join(found["chain"].split()) == (
        "chain marginal chain iid, coupled yes accept, sample O(NV) iid 1x1 2.1111 "
        "2.1111 vLLM, SGLang, HF"
    )
    assert "lossy 0.9688" in found["typical"]
    columns = [head.index(name) for name in ("class", "shape", "accepts", "coins")]
    for line in found.values():
        assert all(line[at - 1] == " " != line[at] for at in columns)


def test_a_row_and_a_line_a_drafter() -> None:
    rows = {row["name"]: row for row in tables.drafters_rows()}
    assert list(rows) == list(DRAFTERS)
    for name, row in rows.items():
        fit = [r for r in RULES if not unsound(DRAFTERS[name], RULES[r])]
        assert row["rules"] == fit
        assert row["kind"] == DRAFTERS[name].kind
    head, *lines = tables.drafters_text().splitlines()
    said = {line.split()[0]: line for line in lines if line and line[0] != " "}
    assert list(said)[: len(DRAFTERS)] == list(DRAFTERS)
    columns = [head.index(name) for name in ("drafts", "shape", "made of", "engines")]
    for name in DRAFTERS:
        assert all(said[name][at - 1 : at] in (" ", "") for at in columns)
    assert " [lenience] " in tables.drafters_text()
