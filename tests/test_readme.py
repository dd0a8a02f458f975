"""What the README shows is what happens."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n\$ specsim (.*?)\n(.*?)```", README, re.DOTALL)
REJECTED = 1


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[c for c, _ in CONSOLE])
def test_commands_print_what_is_shown(command: str, shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "specsim", *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == (REJECTED if "REJECTED" in shown else 0), done.stderr
    checker = doctest.OutputChecker()
    options = doctest.ELLIPSIS
    assert checker.check_output(shown.strip(), done.stdout.strip(), options), (
        done.stdout
    )


def test_the_table_of_mistakes_names_files_and_tests_that_exist() -> None:
    table = README.split("## Where textbooks err")[1].split("## More")[0]
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| `([^`]+)` \|", table, re.MULTILINE)
    assert len(rows) == table.count("\n| ") - 1
    for source, test in rows:
        assert (ROOT / source).is_file(), source
        assert (ROOT / test).is_file(), test


def test_the_two_commands_are_the_ones_that_run() -> None:
    assert "pip install tox && tox" in README
    assert "pip install tox && tox" in (ROOT / ".ci/run").read_text()
