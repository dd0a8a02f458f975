"""The commands, one file each: what they take, and one short function that runs it.

`add(command)` declares a command to the parser of `specsim.__main__`; the function it
names does no arithmetic: it asks a module, prints the answer and returns the exit code.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Protocol

Run = Callable[[Namespace], int]


class Add(Protocol):
    """Makes the parser of one command."""

    def __call__(self, name: str, run: Run, help: str) -> ArgumentParser: ...
