"""The engines that `specsim init` writes are built, run, and pass."""

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.commands.init import LANGUAGES
from specsim.errors import Bad
from specsim.oracle import judge
from specsim.oracle.wire import stubs

NEEDS = {"python": "python3", "rust": "rustc", "go": "go", "cpp": "g++", "js": "node"}


def built(language: str, folder: Path) -> str:
    """The engine of a language, written and built there; skips without its tools."""
    if not shutil.which(NEEDS[language]):
        pytest.skip(f"{NEEDS[language]} is not installed here")
    written = stubs.write(language, folder)
    if build := stubs.STUBS[language].build:
        subprocess.run(build.split(), cwd=folder, check=True, timeout=240)
    else:
        assert written.stat().st_mode & stat.S_IXUSR
    return str(folder / stubs.STUBS[language].run)


@pytest.mark.distribution
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_passes_as_it_is(language: str, tmp_path: Path) -> None:
    report = judge.check(built(language, tmp_path), budget="smoke", rule="chain")
    assert (report.verdict, report.exit_code) == ("exact_within", 0), report.text()
    verdicts = {tier.name: tier.verdict for tier in report.tiers}
    assert verdicts["verify/coins/vectors"] == "exact"
    assert verdicts["verify/coins/batch"] == "exact"
    assert not report.findings
    assert any(note.startswith("it calls itself mine 0.1") for note in report.notes)


@pytest.mark.distribution
def test_a_bug_planted_in_it_is_named(tmp_path: Path) -> None:
    engine = built("python", tmp_path)
    source = Path(engine).read_text()
    right, wrong = "draw(left if any(left) else p[i],", "draw(p[i],"
    assert source.count(right) == 1
    Path(engine).write_text(source.replace(right, wrong))
    report = judge.check(engine, budget="smoke")
    assert report.verdict == "rejected"
    assert report.diagnosis[0].name == "residual-is-target"
    assert report.witness
    assert "residual-is-target" not in report.excluded


def test_every_language_has_a_stub_and_every_stub_is_short() -> None:
    assert tuple(stubs.STUBS) == LANGUAGES == tuple(NEEDS)
    assert {path.name for path in stubs.adapter("go").parent.iterdir()} >= {
        stub.file for stub in stubs.STUBS.values()
    }
    for language in LANGUAGES:
        assert len(stubs.adapter(language).read_text().splitlines()) < 75


def test_nothing_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "engine"
    assert main(["init", "js", str(folder), "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "file": str(folder / "engine.js"),
        "next": [f"cd {folder}", "specsim check ./engine.js"],
    }
    (folder / "engine.js").write_text("mine")
    assert main(["init", "js", str(folder)]) == 2
    assert "is in the way; nothing is overwritten" in capsys.readouterr().err
    assert (folder / "engine.js").read_text() == "mine"
    with pytest.raises(Bad, match="in the way"):
        stubs.write("js", folder / "engine.js")
