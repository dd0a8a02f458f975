"""The options one configuration gives: typed reading, and strangers told by name."""

import difflib
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from specsim.errors import Bad
from specsim.roofline.configurations.setup import LONGEST, Setup
from specsim.roofline.fields import short

COMMON = "drafter", "k", "target", "tensor_parallel", "left_out"
"""Fields of a Setup that every engine has words for."""


@dataclass(frozen=True)
class Given:
    """Options by name; on a command line each value is text, None if it has none."""

    engine: str
    values: Mapping[str, Any]
    text: bool = False

    def bad(self, what: str) -> Bad:
        """The error to raise."""
        return Bad(f"{self.engine}: {what}")

    def among(self, name: str, known: Collection[str]) -> None:
        """Bad, with the nearest of `known`, if the option is none of them."""
        if name in known:
            return
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]}?" if near else ": leave it out"
        raise self.bad(f"no option {short(name)} for speculation{hint}")

    def known(
        self, read: Collection[str], left_out: Collection[str]
    ) -> tuple[str, ...]:
        """Those of `left_out` that are given; Bad if one is in neither collection."""
        for name in self.values:
            self.among(name, [*read, *left_out])
        return tuple(name for name in self.values if name in left_out)

    def whole(self, *names: str, least: int = 1, most: int = LONGEST) -> int | None:
        """The first of `names` that is given: a whole number in that range."""
        name, value = self._first(names)
        if value is None:
            return None
        if self.text and value.isascii() and value.isdigit() and len(value) < 20:
            value = int(value)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, value, f"a whole number from {least} to {most:,}")
        return value

    def share(self, *names: str) -> float | None:
        """A number from 0 to 1."""
        name, value = self._first(names)
        if value is None:
            return None
        try:
            number = float(value) if self.text or type(value) in (int, float) else -1.0
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise self._wrong(name, value, "a number from 0 to 1")
        return number

    def word(self, *names: str) -> str | None:
        """Some text."""
        name, value = self._first(names)
        if value is not None and not (isinstance(value, str) and value):
            raise self._wrong(name, value, "a word")
        return value

    def truth(self, name: str) -> bool:
        """A switch; off if it is not given."""
        value = self.values.get(name)
        if value is not None and type(value) is not bool:
            raise self._wrong(name, value, "true or false")
        return bool(value)

    def _first(self, names: tuple[str, ...]) -> tuple[str, Any]:
        found = [name for name in names if name in self.values]
        if len(found) > 1:
            raise self.bad(f"{found[0]} and {found[1]} are one option: give one")
        if not found:
            return names[0], None
        value = self.values[found[0]]
        if self.text and value is None:
            raise self.bad(f"{found[0]} stands without its value")
        return found[0], value

    def _wrong(self, name: str, value: object, wanted: str) -> Bad:
        return self.bad(f"{name} is {short(value)}; it must be {wanted}")


def flags(engine: str, line: str) -> tuple[Given, list[str]]:
    """The options of a command line, and the words that belong to none.

    `--name value`, `--name=value` and `-n value`; a word after an option is its value
    unless it begins with a hyphen and is no number.
    """
    values: dict[str, str | None] = {}
    loose: list[str] = []
    words = _words(engine, line)
    while words:
        name, equals, value = words.pop(0).partition("=")
        if not _option(name):
            loose.append(name + equals + value)
            continue
        if not equals and words and not _option(words[0]):
            value = words.pop(0)
        if name in values:
            raise Bad(f"{engine}: {short(name)} is given twice: give it once")
        values[name] = value or None
    return Given(engine, values, text=True), loose


def _words(engine: str, line: str) -> list[str]:
    try:
        return shlex.split(line.replace("\\\r\n", " ").replace("\\\n", " "))
    except ValueError as error:
        raise Bad(f"{engine}: not a command line: {error}; check its quotes") from None


def _option(word: str) -> bool:
    return (word[:1] == "-" and word[1:2].isalpha()) or (
        word[:2] == "--" and word != "--"
    )


def expressible(engine: str, setup: Setup, can: Mapping[str, Collection[str]]) -> None:
    """Bad if the engine has no such drafter, or no option for a field that is set.

    can: for each drafter the engine has, the fields beside `COMMON` it has options for.
    """
    if setup.drafter not in can:
        raise Bad(
            f"{engine} has no drafter {setup.drafter}: choose from {', '.join(can)}"
        )
    for name, value in vars(setup).items():
        if value is None or name in COMMON or name in can[setup.drafter]:
            continue
        what = "a tree of drafts" if name == "tree" else name
        raise Bad(
            f"{engine} cannot express {what} with drafter {setup.drafter}: leave it out"
        )
