"""Drafters and rules side by side, and what the roofline makes of them."""

from dataclasses import replace
from typing import Any

import pytest

from reference.logits import Sampling
from specsim.drafters import DRAFTERS, unsound
from specsim.errors import Bad
from specsim.generation import prediction, scene
from specsim.generation.league import League, league
from specsim.generation.prediction import speedup
from specsim.oracle.loops import cast
from specsim.roofline import names
from specsim.rules import RULES


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
    assert line["speedup_range"] == [line["speedup"]] * 2
    head, _, said, _, reason, *_ = made.text().splitlines()
    assert said.split()[:2] == ["ngram", "one_hot"]
    assert said.split()[-1] == f"{run.tally.acceptance[-1]:.2f}"
    assert "speed-up" in head
    assert reason.split(maxsplit=1) == ["ngram", line["why"]]


def test_the_range_is_that_of_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "ROUNDS", 3)
    made = compared(drafter="ngram", rule="one_hot")
    (line,) = made.as_dict()["league"]
    ups = made.lines[0].made.timed.speedups
    assert len(ups) == 3
    assert line["speedup_range"] == [min(ups), max(ups)]
    assert line["speedup"] == sorted(ups)[1]


def test_the_text_says_how_far_predictions_are_off() -> None:
    (line,) = compared(drafter="ngram", rule="one_hot").lines
    assert "predicted: by" not in League([line]).text()
    foretold = [replace(line, predicted=up * line.made.speedup) for up in (0.9, 1.2, 2)]
    said = League(foretold).text().splitlines()[-1]
    assert said.endswith("off by 20% in the median, +20% on balance.")


def test_the_roofline_prices_what_was_seen() -> None:
    """A draft as large as its target cannot pay; one that costs nothing does."""
    machine = replace(names.gpu("a100"), mem_bw_gbs=1e-6)  # hosts take no time
    made = {line.made.scene.drafter.name: line.made for line in compared().lines}
    for name, one in made.items():
        predicted = speedup(one, machine)
        assert 0 < predicted <= one.tokens_per_step, name
    assert speedup(made["draft-model"], machine) < 1
    jacobi = made["jacobi"]
    assert speedup(jacobi, machine) > 0.8 * jacobi.tokens_per_step


def test_rows_of_a_large_vocabulary_are_in_the_price(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where passes take no time, tokens are paid by the rows they need."""
    monkeypatch.setattr(prediction, "row_seconds", lambda vocab, sampling: 1e6)
    machine = names.gpu("a100")
    for line in compared().lines:
        made = line.made
        tally, needs = made.run.tally, made.scene.drafter.needs
        rows = tally.drafted / tally.steps * (1 + prediction.ROWS[needs])
        expected = made.tokens_per_step / (1 + rows)
        assert speedup(made, machine) == pytest.approx(expected, rel=1e-3)


def test_a_row_takes_longer_the_more_words_there_are() -> None:
    asked = Sampling(temperature=0.7)
    few, many = (prediction.row_seconds(2**n, asked) for n in (4, 20))
    assert 0 < few < many
