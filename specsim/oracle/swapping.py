"""A fault planted in code that is in use, wherever it was imported to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from specsim import seam
from specsim.oracle.planted import altered


@dataclass(frozen=True)
class LoopFault:
    """One line of the loop or of what it uses, `old`, written as `new`.

    file:    below the top of the project, without its ending.
    kind:    what sort of fault it is, in a few words.
    reports: public issues, pull requests or commits where it was seen.
    """

    name: str
    file: str
    old: str
    new: str
    kind: str
    reports: tuple[str, ...] = ()

    @property
    def module(self) -> ModuleType:
        """The right one."""
        folder, _, stem = self.file.replace("/", ".").partition(".")
        if folder == "reference":
            return seam.reference(stem)
        return import_module(f"{folder}.{stem}")

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The fault is there while the block runs: functions have the other's code."""
        module = self.module
        wrong = altered(module, self.old, self.new)
        pairs = [*_functions(vars(module), vars(wrong), module.__name__)]
        codes = [right.__code__ for right, _ in pairs]
        for right, other in pairs:
            right.__code__ = other.__code__
        try:
            yield
        finally:
            for (right, _), code in zip(pairs, codes, strict=True):
                right.__code__ = code


def into(file: str) -> Callable[..., LoopFault]:
    """Rows of one file: (name, old, new, kind, *reports)."""

    def row(name: str, old: str, new: str, kind: str, *reports: str) -> LoopFault:
        return LoopFault(name, file, old, new, kind, reports)

    return row


def _functions(
    right: Any, wrong: Any, module: str
) -> Iterator[tuple[FunctionType, FunctionType]]:
    """The functions of a module, methods among them, and their counterparts."""
    for name, value in right.items():
        other = wrong.get(name)
        if isinstance(value, property):
            value, other = value.fget, other.fget
        if isinstance(value, type) and value.__module__ == module:
            yield from _functions(vars(value), vars(other), module)
        elif isinstance(value, FunctionType) and value.__module__ == module:
            yield value, other
