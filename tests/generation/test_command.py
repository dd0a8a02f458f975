"""`specsim generate` as a person, a script and a hasty typist meet it."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specsim
from specsim import weights
from specsim.__main__ import main
from specsim.errors import Bad
from specsim.generation import terminal
from specsim.generation.prediction import fields
from specsim.oracle.loops import cast
from specsim.roofline.speculation.alpha import acceptance

KEYS = {
    "tokens", "text", "tokens_per_step", "acceptance", "seconds", "plain_seconds",
    "speedup",
}  # fmt: skip


def written(folder: Path, arrays: Any, **changed: Any) -> Path:
    """A small model as a folder that `specsim.pretrained` reads."""
    folder.mkdir()
    described = fields(vars(cast.CONFIG)) | {"eos_token_id": 6} | changed
    (folder / "config.json").write_text(json.dumps(described))
    single = {name: array.astype(np.float32) for name, array in arrays.items()}
    weights.save(folder / "model.safetensors", single, {})
    return folder


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The command with a target and a draft."""
    target = written(tmp_path / "target", cast.weights())
    draft = written(tmp_path / "draft", cast.near(0.25))
    asked = ["generate", "--target", str(target), "--prompt-tokens", "1,4,2"]
    return [*asked, "--draft-model", str(draft), "--max-new-tokens", "12"]


def test_json_has_the_text_and_what_it_took(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*words, "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made.keys() >= KEYS
    assert made["text"] == "".join(f" {token}" for token in made["tokens"])
    assert abs(made["speedup"] - made["plain_seconds"] / made["seconds"]) < 1e-9
    parts = ("draft_seconds", "verify_seconds", "overhead_seconds")
    assert abs(sum(made[part] for part in parts) - made["seconds"]) < 1e-9
    assert all(made[part] > 0 for part in parts)
    assert made["tokens_per_step"] == len(made["tokens"]) / made["steps"]
    file = tmp_path / "run.json"
    assert main([*words, "--json", str(file)]) == 0
    again = json.loads(file.read_text())
    assert again["tokens"] == made["tokens"]
    assert list(acceptance(str(file)).rates) == again["acceptance"]  # type: ignore[attr-defined]


def test_python_and_the_command_say_the_same(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words, "--json", "-", "--temperature", "0.8", "--seed", "4"])
    told = json.loads(capsys.readouterr().out)
    made = specsim.generate(
        [1, 4, 2],
        target=words[2],
        draft_model=words[6],
        max_new_tokens=12,
        temperature=0.8,
        seed=4,
    )
    assert made.tokens == told["tokens"]
    assert made.acceptance == told["acceptance"]


def test_text_comes_without_colours_where_nobody_looks(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert said.startswith(" 1 4 2 ")
    assert re.search(r"draft-model, chain, k 4: \d+ tokens in \d+ steps", said)
    assert "times as fast" in said


def test_colours_tell_what_became_of_the_draft(
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main([*words, "--seed", "1"]) == 0
    said = capsys.readouterr().out
    told = json_of(words, capsys)
    for token, origin in zip(told["tokens"], told["origins"], strict=True):
        colour = terminal.COLOURS[origin]
        piece = f"\x1b[{colour}m {token}\x1b[0m"
        assert piece in said
        said = said.partition(piece)[2]
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(words) == 0
    assert "\x1b" not in capsys.readouterr().out


def json_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    main([*words, "--seed", "1", "--json", "-"])
    return json.loads(capsys.readouterr().out)


def test_a_model_cannot_steer_the_terminal() -> None:
    assert "a\x1b[31m\x9b\r\tb\n".translate(terminal.CONTROLS) == (
        "a\ufffd[31m\ufffd\ufffd\tb\n"
    )


def test_a_draft_that_knows_the_text_needs_no_draft_model(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for drafter in ("ngram", "prompt-lookup", "suffix", "jacobi", "lookahead"):
        asked = [*words[:5], "--drafter", drafter, "--temperature", "0", "--json", "-"]
        assert main(asked) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["drafter"], made["rule"]) == (drafter, "target_only")


def test_the_end_of_texts_is_read_from_the_folder(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(5):
        asked = [*words, "--seed", str(seed), "--json", "-", "--max-new-tokens", "40"]
        assert main(asked) == 0
        made = json.loads(capsys.readouterr().out)
        assert 6 not in made["tokens"][:-1]
        assert (made["end"] == "end") == (made["tokens"][-1] == 6)


BAD = {
    "--drafter nope": "no drafter is called 'nope': choose from draft-model",
    "--rule nope": "no rule is called 'nope': choose from greedy",
    "--drafter ngram --rule chain": "rules for ngram: greedy, sampler_match",
    "--drafter medusa": "medusa needs heads that `specsim train medusa` made",
    "--k 0": "k 0: give a whole number from 1 to 128",
    "--k 1000000": "k 1000000: give a whole number from 1 to 128",
    "--max-new-tokens 0": "max_new_tokens 0: give a whole number from 1",
    "--temperature nan": "temperature = nan: must be finite and >= 0",
    "--temperature -1": "temperature = -1.0",
    "--top-p 2": "top_p = 2.0: must be in [0, 1]",
    "--seed -1": "seed -1: give a whole number",
    "--rule greedy --temperature 1": "greedy is for temperature 0",
    "--prompt-tokens 1,7": "prompt: token 7 is not in [0, 7)",
    "--prompt-tokens 1,x": "give token ids, as in 12,7,3",
    "--prompt-tokens=": "give token ids",
    "--prompt-tokens=-1": "token -1 is not in [0, 7)",
    "--target no/such/folder": "no such file",
    "--draft-model no/such/folder": "no such file",
    "--drafter ngram --draft-model x": "the drafter needs none",
    "--compare --calibration no/such.json": "no such file",
    "--compare --drafter nope": "no drafter is called",
    "--compare --rule nope": "no rule is called",
    "--compare --drafter ngram --rule chain": "rules for ngram",
}


@pytest.mark.parametrize(("more", "hint"), BAD.items())
def test_what_is_wrong_is_one_line(
    more: str, hint: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if "--drafter" in more and "--draft-model" not in more:
        words = words[:5]
    assert main([*words, *more.split()]) == 2
    shown = capsys.readouterr()
    assert hint in shown.err
    assert shown.out == ""
    assert shown.err.count("\n") == 1


def test_an_empty_prompt_is_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for prompt in ("", "x"):
        assert main([*words[:3], *words[5:], "--prompt", prompt]) == 2
        assert "prompt" in capsys.readouterr().err


def test_other_words_are_another_model(tmp_path: Path, words: list[str]) -> None:
    few = {n: a[:5] if a.shape[0] == 7 else a for n, a in cast.weights().items()}
    draft = written(tmp_path / "few", few, vocab_size=5)
    with pytest.raises(Bad, match="5 words, the target has 7"):
        specsim.generate([1], target=words[2], draft_model=draft)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ({"stop": [""]}, "not empty"),
        ({"stop": 3}, "stop 3: give strings"),
        ({"nonsense": 1}, "'nonsense' is no setting"),
        ({"logit_bias": {9: 1.0}}, "token 9 is not in"),
        ({"k": True}, "k True"),
        ({"prompt": [0.5]}, "token 0.5"),
        ({"backend": "abacus"}, "backend 'abacus'"),
    ],
)
def test_python_is_told_as_well(
    asked: dict[str, Any], hint: str, words: list[str]
) -> None:
    given: dict[str, Any] = {"prompt": [1], "drafter": "ngram", "target": words[2]}
    with pytest.raises(Bad, match=re.escape(hint)):
        specsim.generate(**given | asked)
