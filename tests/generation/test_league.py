"""Drafters and rules side by side, and what the roofline makes of them."""

from dataclasses import replace
from typing import Any

import pytest

from specsim.drafters import DRAFTERS, unsound
from specsim.errors import Bad
from specsim.generation import scene
from specsim.generation.league import League, league
from specsim.generation.prediction import speedup
from specsim.roofline import names
from specsim.rules import RULES
from tests.generation import cast


def compared(**asked: Any) -> League:
    given: dict[str, Any] = {"target": cast.models(), "prompt": cast.PROMPT, "k": 2}
    return league(**given | {"max_new_tokens": 8} | asked)


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "ROUNDS", 1)


def pairs(made: League) -> set[tuple[str, str]]:
    return {
        (line.made.scene.drafter.name, line.made.scene.rule.name) for line in made.lines
    }


def test_every_drafter_shows_its_usual_rule() -> None:
    made = compared()
    usual = {(name, scene.USUAL[row.kind]) for name, row in DRAFTERS.items()}
    assert pairs(made) == usual
    ups = [line.made.speedup for line in made.lines]
    assert ups == sorted(ups, reverse=True)


def test_a_drafter_shows_every_rule_that_keeps_the_law() -> None:
    lossless = {n for n, rule in RULES.items() if not (rule.lossy or rule.greedy)}
    for name in ("suffix", "draft-model"):
        fit = {n for n in lossless if not unsound(DRAFTERS[name], RULES[n])}
        assert pairs(compared(drafter=name)) == {(name, n) for n in fit}


def test_a_rule_shows_every_drafter_it_fits() -> None:
    assert pairs(compared(rule="block")) == {("draft-model", "block"), ("mtp", "block")}
    assert pairs(compared(rule="typical", drafter="ngram")) == {("ngram", "typical")}


def test_what_has_nobody_to_play_is_refused() -> None:
    with pytest.raises(Bad, match="hub takes no draft"):
        compared(rule="hub")


def test_lines_say_what_runs_did() -> None:
    made = compared(drafter="ngram", rule="one_hot", temperature=0.0, k=3)
    (line,) = made.as_dict()["league"]
    run = made.lines[0].made.run
    assert line["tokens_per_step"] == run.tally.tokens_per_step
    assert line["acceptance"] == run.tally.acceptance
    parts = line["step_ms"]
    total = parts["draft"] + parts["verify"] + parts["overhead"]
    assert abs(total - parts["total"]) < 1e-9
    per_token = parts["total"] / line["tokens_per_step"]
    assert abs(line["plain_ms"] / per_token - line["speedup"]) < 1e-9
    head, _, said, *_ = made.text().splitlines()
    assert said.split()[:2] == ["ngram", "one_hot"]
    assert said.split()[-1] == f"{run.tally.acceptance[-1]:.2f}"
    assert "speed-up" in head


def test_the_roofline_prices_what_was_seen() -> None:
    """A draft as large as its target cannot pay; one that costs nothing does."""
    machine = replace(names.gpu("a100"), mem_bw_gbs=0.001)  # hosts take no time
    made = {line.made.scene.drafter.name: line.made for line in compared().lines}
    for name, one in made.items():
        predicted = speedup(one, machine)
        assert 0 < predicted <= one.tokens_per_step, name
    assert speedup(made["draft-model"], machine) < 1
    jacobi = made["jacobi"]
    assert speedup(jacobi, machine) > 0.8 * jacobi.tokens_per_step
