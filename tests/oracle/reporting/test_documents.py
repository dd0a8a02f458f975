"""What the documents show is what happens."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def sessions(document: str) -> list[tuple[list[str], str]]:
    """Every command that is shown, with what is shown of its output."""
    text = (ROOT / "docs" / document).read_text()
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    found = []
    for block in blocks:
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((shlex.split(command), output))
    return found


def shown(words: list[str], folder: Path) -> tuple[int, str]:
    if words[0] == "pytest":
        words = ["pytest", "-p", "specsim.pytest_plugin", *words[1:]]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=env | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("document", ["reports.md", "pytest.md"])
def test_commands_print_what_is_shown(document: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / document).read_text()
    if source := re.search(r"```python\n# mine.py\n(.*?)```", text, re.DOTALL):
        (tmp_path / "mine.py").write_text(source[1])
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    asked = sessions(document)
    assert asked
    for words, wanted in asked:
        code, output = shown(words, tmp_path)
        wrong = "REJECTED" in wanted and words[1] != "report"
        assert code == (1 if wrong else 0), output
        checker = doctest.OutputChecker()
        got, want = (re.sub(r"={3,}", "===", said).strip() for said in (output, wanted))
        assert checker.check_output(want, got, doctest.ELLIPSIS), output
