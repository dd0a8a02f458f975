"""The command line as a person, a script and a hasty typist meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.commands import speedup

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


BAD = {
    "check nowhere:verify": "No module named 'nowhere'",
    "check --mutant nope": "specsim list mutants",
    "check --mutant draw-at-the-edge": "no verifier",
    "check --mutant strict-residual": "of a lossy rule",
    "check --rule nope": "choose from greedy",
    f"check {ENGINES}:chain --rule nope": "choose from greedy",
    f"check {ENGINES}:chain --rule chain": "accept, sample",
    f"check {ENGINES}:chain --false-alarm 2": "between 0 and 1",
    "roofline --model nope --gpu a100": "nope",
    "roofline --model 70b --gpu nope": "nope",
    "roofline --model 70b --gpu a100 --batch 0": "batch",
    "speedup --k 4 --draft-cost 0.1": "alpha",
    "speedup --alpha 2 --k 4 --draft-cost 0.1": "alpha",
    "list rules --json no/such/folder/x.json": "No such file",
}


@pytest.mark.parametrize(("words", "hint"), BAD.items())
def test_bad_usage_is_one_line_that_names_the_thing(
    words: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hint in told(capsys, *words.split())


def test_words_that_argparse_does_not_know_are_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["roofline", "--model"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


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
