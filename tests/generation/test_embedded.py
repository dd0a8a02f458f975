"""The models in the wheel: what the command does without being told anything."""

import json

import numpy as np
import pytest

import specsim
from specsim import embedded
from specsim.__main__ import main
from specsim.drafters import DRAFTERS
from specsim.generation import models, scene
from specsim.generation.league import league

pytestmark = pytest.mark.skipif(
    not (embedded.FOLDER / embedded.TARGET).exists(),
    reason="this checkout has no weights",
)


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "ROUNDS", 1)


def test_without_options_it_speculates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["target"], made["drafter"]) == ("embedded", "draft-model")
    assert (made["rule"], made["k"]) == ("chain", 4)
    assert made["tokens_per_step"] > 1
    assert len(made["acceptance"]) == 4
    words = models.load().words
    assert made["text"] == words.text(made["tokens"])
    assert words.text(made["prompt"]) == embedded.PROMPT


def test_every_drafter_says_what_plain_decoding_says() -> None:
    """At temperature 0, but for ties of single precision."""
    target = models.load()
    for line in league(target=target, temperature=0.0, max_new_tokens=24).lines:
        plain = line.made.scene.plain(24).tokens
        said = line.made.tokens
        same = [a == b for a, b in zip(said, plain, strict=False)]
        if not all(same):
            assert margin(
                [*line.made.scene.request.prompt, *plain[: same.index(False)]]
            )


def margin(text: list[int]) -> bool:
    """Whether the two likeliest tokens are as good as tied."""
    network = models.load().target
    logits = np.sort(network.extend(text, range(-1, len(text) - 1))[0][-1])
    return bool(logits[-1] - logits[-2] < 1e-4)


def test_all_parts_draft_something_that_is_kept() -> None:
    for name, row in DRAFTERS.items():
        made = specsim.generate(drafter=name, max_new_tokens=64, temperature=0.7)
        assert row.needs == "nothing" or made.run.tally.accepted > 5, name
