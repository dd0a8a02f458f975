"""Texts to go on from, out of files of Python's library that nothing was trained on."""

import ast
import inspect
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from tools.embedded.corpus import LIBRARY, corpus

Kind = Literal["code", "prose", "edit"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SEED, EACH = 0, 3
"""Of each kind so many, chosen by that seed."""
LEAST, LONGEST = 4096, 400
"""Bytes of a file that code is taken from; characters of a prompt."""
LINES = 8, 16
"""Of a function to be edited."""
RENAMED = "renamed"


class Prompt(NamedTuple):
    """name: where the text is from."""

    kind: Kind
    name: str
    text: str


def prompts() -> list[Prompt]:
    """All of them: the same wherever the library is the same."""
    with tempfile.TemporaryDirectory() as scratch:
        held = corpus(Path(scratch)).held
    files = {str(file.relative_to(LIBRARY)): _read(file) for file in held}
    found = [*_code(files)], [*_prose(files)], [*_edits(files)]
    return [one for each in found for one in random.Random(SEED).sample(each, EACH)]


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _code(files: dict[str, str]) -> Iterator[Prompt]:
    """What comes before a line near the middle of a file."""
    for name, text in files.items():
        if len(text) >= LEAST:
            half = text[: text.index("\n", len(text) // 2) + 1][-LONGEST:]
            yield Prompt("code", name, half[half.index("\n") + 1 :])


def _prose(files: dict[str, str]) -> Iterator[Prompt]:
    """The beginning of a long docstring."""
    documented = ast.Module, ast.ClassDef, ast.FunctionDef
    for name, text in files.items():
        for node in ast.walk(ast.parse(text)):
            said = ast.get_docstring(node) if isinstance(node, documented) else None
            if said and len(said) > LONGEST:
                where = f"{name}, {getattr(node, 'name', 'its docstring')}"
                words = inspect.cleandoc(said)[: LONGEST * 3 // 4].rpartition(" ")
                yield Prompt("prose", where, words[0])


def _edits(files: dict[str, str]) -> Iterator[Prompt]:
    """A short function, and the beginning of the same under another name."""
    for name, text in files.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                source = ast.get_source_segment(text, node) or ""
                if LINES[0] <= source.count("\n") <= LINES[1]:
                    yield Prompt("edit", f"{name}, {node.name}", _edit(source, node))


def _edit(source: str, node: ast.FunctionDef) -> str:
    first = source.partition("\n")[0].replace(node.name, f"{RENAMED}_{node.name}", 1)
    return (
        f"{source}\n\n\n# The same function, its name changed to "
        f"{RENAMED}_{node.name}:\n\n{first}\n"
    )
