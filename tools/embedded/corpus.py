"""The standard library's sources and the texts of its help, in two parts."""

import sysconfig
from pathlib import Path
from typing import NamedTuple

LIBRARY = Path(sysconfig.get_path("stdlib"))
FOLDERS = frozenset(
    {
        "__pycache__",
        "dist-packages",
        "encodings",
        "idle_test",
        "site-packages",
        "test",
        "tests",
        "turtledemo",
    }
)
FILES = frozenset({"entities.py", "topics.py"})
"""Left out: tests, installed packages and tables. (The text of topics.py is taken.)"""
MACHINE = "_sysconfigdata"
"""What the name of a file begins with that differs from machine to machine."""
FIRST, EVERY = 10, 20
"""Of the files in order of their paths, which are held out."""


class Corpus(NamedTuple):
    """Files to train on, and files to draw prompts from."""

    training: list[Path]
    held: list[Path]


def corpus(scratch: Path) -> Corpus:
    """The two parts; the topics of `help` become a file in `scratch`."""
    from pydoc_data.topics import topics

    files = sorted(filter(_taken, LIBRARY.rglob("*.py")))
    held = files[FIRST::EVERY]
    texts = scratch / "topics.txt"
    texts.write_text("\n".join(topics.values()), encoding="utf-8")
    return Corpus([*(file for file in files if file not in held), texts], held)


def _taken(file: Path) -> bool:
    inside = file.relative_to(LIBRARY).parts
    named = file.name in FILES or file.name.startswith(MACHINE)
    return not (named or FOLDERS & {*inside} or not file.stat().st_size)
