"""The tutorial is what happens, and the reference names all that the schema has."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from specsim.oracle.wire import record

ROOT = Path(__file__).parents[3]
TUTORIAL = (ROOT / "specsim/oracle/engines/README.md").read_text()
PROTOCOL = (ROOT / "docs/protocol.md").read_text()
EXITS = {"REJECTED": 1}


def steps() -> Iterator[tuple[str, str]]:
    """Every command of the tutorial, and what it is said to print."""
    for block in re.findall(r"```console\n(.*?)```", TUTORIAL, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            yield command, shown


@pytest.mark.skipif(not shutil.which("rustc"), reason="rustc is not installed here")
def test_the_tutorial_happens_as_it_is_told(tmp_path: Path) -> None:
    specsim = tmp_path / "bin" / "specsim"
    specsim.parent.mkdir()
    specsim.write_text(f'#!/bin/sh\nexec {sys.executable} -m specsim "$@"\n')
    specsim.chmod(0o755)
    path = f"{specsim.parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    where = tmp_path
    for command, shown in steps():
        if command.startswith("cd "):
            where = where / command[3:]
            continue
        done = subprocess.run(
            command,
            shell=True,
            cwd=where,
            env=env,
            capture_output=True,
            text=True,
            timeout=240,
        )
        told = f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.returncode == EXITS.get(shown.split(" ")[0], 0), told
        assert matches(shown, done.stdout), told


def matches(shown: str, printed: str) -> bool:
    checker = doctest.OutputChecker()
    return checker.check_output(
        shown.strip() + "\n", printed.strip() + "\n", doctest.ELLIPSIS
    )


def test_every_example_is_valid() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PROTOCOL, re.DOTALL)
    messages = [json.loads(line) for block in blocks for line in block.splitlines()]
    assert len(messages) == 7
    for message in messages:
        jsonschema.validate(message, record.schema())


def test_every_name_in_the_schema_is_explained() -> None:
    for name in {*names(record.schema())} - {"cmd", "context", "traceback"}:
        assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`|\"{name}\"", PROTOCOL), name


def names(schema: Any) -> Iterator[str]:
    """Every property, and every word of an enumeration."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (word for word in schema.get("enum", []) if isinstance(word, str))
        for inner in schema.values():
            yield from names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from names(inner)
