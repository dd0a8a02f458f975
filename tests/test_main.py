"""The command line as a person, a script and a hasty typist meet it."""

import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from specsim.__main__ import main
from specsim.commands import speedup
from specsim.commands.configured import unused
from specsim.commands.saying import say
from specsim.errors import Bad
from specsim.roofline.configurations import Setup
from specsim.roofline.speculation.alpha import acceptance

ROOT = Path(__file__).parent.parent
HEAVY = {"torch", "pandas", "statsmodels", "matplotlib", "transformers", "scipy.stats"}
ENGINES = "tests.oracle.engines"


def run(
    *words: str, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "specsim", *words],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env=env,
    )


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line on standard error of a command that must exit with 2."""
    assert main(list(words)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def test_json_on_standard_output_is_all_there_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["roofline", "--model", "70b", "--gpu", "a100", "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["min_gpus"] == made["gpus"] == 2
    assert made["low_ms"] <= made["step_ms"] <= made["high_ms"]
    assert abs(made["streamed_bytes"] / 139.0e9 - 1) < 1e-3
    assert {"ideal_ms", "bound", "kv_bytes", "flops", "ops", "fits"} <= made.keys()


def test_json_in_a_file_goes_with_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "speedup.json"
    words = ["speedup", "--alpha", "0.9", "--k", "5", "--draft-cost", "0.05"]
    assert main([*words, "--json", str(file)]) == 0
    assert "3.748x" in capsys.readouterr().out
    assert round(json.loads(file.read_text())["speedup"], 2) == 3.75


def test_a_rejected_engine_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", f"{ENGINES}:residual_is_target", "--json", "-"]
    assert main(words) == 1
    made = json.loads(capsys.readouterr().out)
    assert made["verdict"] == "rejected"
    assert made["log10_e"] is None
    assert made["diagnosis"][0]["name"] == "residual-is-target"
    assert made["witness"]["got"] == "3/4"
    assert made["replay"].startswith("specsim check ")
    assert made["tiers"]
    assert made["seconds"] > 0


def test_a_broken_engine_exits_with_2_and_says_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", f"{ENGINES}:raises", "--json", "-"]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["verdict"] == "errored"
    assert "RuntimeError: no luck today" in shown.err
    assert shown.err.count("\n") == 1


def test_what_an_engine_prints_is_not_in_the_way() -> None:
    done = run("check", f"{ENGINES}:prints", "--json", "-")
    assert json.loads(done.stdout)["verdict"] == "exact"
    assert done.stderr == ""


def test_an_engine_is_looked_up_here_then_as_python_does(tmp_path: Path) -> None:
    engine = (ROOT / "tests" / "oracle" / "engines.py").read_text()
    (tmp_path / "mine.py").write_text(engine)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = run("check", "mine:chain", "--budget", "smoke", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    env["PYTHONPATH"] += os.pathsep + str(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = run("check", "mine:chain", "--budget", "smoke", cwd=elsewhere, env=env)
    assert done.returncode == 0, done.stderr


ROOFLINE = "roofline --model 8b --gpu h100"
DRAFT = "--drafter eagle3 --alpha 0.7"
IGNORED = {
    "--alpha 0.7": "--drafter",
    "--k 3": "--drafter",
    "--tree 8": "--drafter",
    "--draft-model 1b": "--drafter",
    "--gpu-hour 2": "--drafter",
    "--drafter eagle3": "--alpha",
    "--over batch=1:4 --drafter eagle3": "--alpha",
    "--over batch=1:4 --explain": "--explain",
    "--over batch=1:4 --k 3": "--k",
    "--over batch=1:4 --batch 2": "--batch",
    "--over context=1:4 --context 2": "--context",
    "--over gpus=1:4 --tp 2": "--tp",
    "--over gpus=1:4 --gpus 2": "--gpus",
    "--over gpus=1:4 --pp 2": "--pp",
    f"--over batch=1:4 {DRAFT} --gpu-hour 2": "--gpu-hour",
    f"--over batch=1:4 {DRAFT} --plot a.png": "--plot",
}

BAD = {
    "check nowhere:verify": "No module named 'nowhere'",
    "check --mutant nope": "specsim list mutants",
    "check --mutant draw-at-the-edge": "no verifier",
    "check --mutant strict-residual": "of a lossy rule",
    "check --rule nope": "choose from greedy",
    f"check {ENGINES}:chain --rule nope": "choose from greedy",
    f"check {ENGINES}:chain --rule chain": "accept, sample",
    f"check {ENGINES}:chain --false-alarm 2": "between 0 and 1",
    "probe": "say what to do: specsim probe export",
    "roofline --model nope --gpu a100": "nope",
    "roofline --model 70b --gpu nope": "nope",
    "roofline --model 70b --gpu a100 --batch 0": "batch",
    **{f"{ROOFLINE} {words}": hint for words, hint in IGNORED.items()},
    "speedup --k 4 --draft-cost 0.1": "alpha",
    "speedup --alpha 2 --k 4 --draft-cost 0.1": "alpha",
    "list rules --json no/such/folder/x.json": "No such file",
}


@pytest.mark.parametrize(("words", "hint"), BAD.items())
def test_bad_usage_is_one_line_that_names_the_thing(
    words: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hint in told(capsys, *words.split())


@pytest.mark.parametrize("option", ["--weights", "--kv", "--over", "--from", "--alpha"])
def test_an_empty_word_is_refused(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"{option} is empty" in told(capsys, *ROOFLINE.split(), option, "")


def test_an_empty_alpha_is_refused_by_the_library_too() -> None:
    with pytest.raises(Bad, match=r"alpha is empty: give 0\.8"):
        acceptance(" ")


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("model", ["8b", "qwen3-30b-a3b"])
def test_speculation_adds_to_the_plain_step_and_changes_nothing(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["roofline", "--model", model, "--gpu", "h100"]
    plain = answer(capsys, *words)
    made = answer(capsys, *words, *DRAFT.split(), "--k", "3")
    nested = made["speculation"]
    notes = plain.pop("notes")
    assert {name: made[name] for name in plain} == plain
    assert made["low_ms"] <= made["step_ms"] <= made["high_ms"]
    assert made["notes"] == notes + nested["notes"]
    assert nested["step_ms"] != plain["step_ms"]
    assert nested["plain_ms"] == pytest.approx(plain["step_ms"])
    for name in ("tokens_per_step", "speedup", "speedup_low", "best_k", "k", "drafter"):
        assert made[name] == nested[name]


CONFIGURATION = (
    "vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2 "
    "--speculative-config "
    """'{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 3}'"""
)


def test_what_a_configuration_says_in_vain_is_noted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["roofline", "--gpu", "h100", "--from", CONFIGURATION, "--alpha", "0.5"]
    notes = answer(capsys, *words)["notes"]
    assert any(note.startswith("host times of drafting") for note in notes)
    (vain,) = (note for note in notes if "configuration" in note)
    assert vain.startswith("not used from the configuration: ")
    assert "window" in vain
    assert main(words) == 0
    assert f"\nnote: {vain}\n" in capsys.readouterr().out
    assert answer(capsys, *words, "--over", "batch=1:2")["notes"] == [vain]
    assert main([*words, "--over", "batch=1:2"]) == 0
    assert f"\n\nnote: {vain}\n" in capsys.readouterr().out


def test_all_that_no_price_depends_on_is_noted() -> None:
    setup = Setup(
        "eagle3",
        draft_model="some/head",
        min_probability=0.25,
        draft_tensor_parallel=1,
        left_out=("--speed",),
    )
    said = "--speed, draft model some/head, least probability 0.25, "
    assert unused(setup, separate=False) == [
        f"not used from the configuration: {said}draft tensor parallel 1"
    ]
    assert unused(Setup("draft-model", draft_model="1b"), separate=True) == []


def test_another_model_than_the_configuration_s_is_noted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["roofline", "--gpu", "h100", "--from", CONFIGURATION, "--alpha", "0.5"]
    made = answer(capsys, *words, "--model", "70b")
    assert made["model"] == "meta-llama/Llama-3.1-70B"
    assert any("target is meta-llama/Llama-3.1-8B" in note for note in made["notes"])
    same = answer(capsys, *words, "--model", "8b")
    assert not any("target" in note for note in same["notes"])


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_json_has_no_infinities(odd: float) -> None:
    data = {"fine": 1.0, "rows": [{"ms": 2.0}, {"ms": odd}]}
    with pytest.raises(Bad, match=r"rows\[1\]\.ms is no finite number"):
        say(Namespace(json="-"), data, str)


def test_words_that_argparse_does_not_know_are_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["roofline", "--model"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_version_and_the_exit_codes_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words, hint in ((["--version"], "specsim "), (["check", "--help"], "3 not")):
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 0
        assert hint in capsys.readouterr().out


def test_why_there_is_nothing_to_judge_is_told_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", f"{ENGINES}:Sketches"]) == 2
    shown = capsys.readouterr()
    assert "UNSUPPORTED" in shown.out
    assert "\n\n\n" not in shown.out
    assert "draft is not judged: it does not take (model, context, k)" in shown.err


def test_tables_are_printed_and_carry_every_row(
    capsys: pytest.CaptureFixture[str],
) -> None:
    least = {"rules": 7, "mutants": 50, "models": 150, "gpus": 130}
    for name, rows in least.items():
        assert main(["list", name]) == 0
        assert len(capsys.readouterr().out.splitlines()) > rows
        assert main(["list", name, "--json", "-"]) == 0
        assert len(json.loads(capsys.readouterr().out)) >= rows


def test_light_commands_load_nothing_heavy() -> None:
    code = (
        "import sys, specsim.__main__ as m; m.main({}); "
        "print([name for name in {} if name in sys.modules], file=sys.stderr)"
    )
    for words in (
        ["list", "rules"],
        ["roofline", "--model", "70b", "--gpu", "a100"],
        ["speedup", "--alpha", "0.5", "--k", "2", "--draft-cost", "0.1"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", code.format(words, sorted(HEAVY))],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.strip() == "[]", words


def test_help_needs_no_numpy() -> None:
    code = "import sys, specsim, specsim.__main__ as m; m.parser().format_help(); "
    code += "sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_reader_that_goes_away_is_no_trouble() -> None:
    shell = f"{sys.executable} -m specsim list models | head -n 1"
    done = subprocess.run(
        shell, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_interrupting_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(speedup, "speedup", interrupted)
    assert main(["speedup", "--alpha", "0.5", "--k", "2", "--draft-cost", "1"]) == 130
