"""Whole engines that offer little, so that a whole check of them is short."""

import os
import sys
import time
from typing import Any, ClassVar

from tests.oracle.endtoend import mutants
from tests.oracle.endtoend.cast import Engine


class Small(Engine):
    """Right."""

    modes: ClassVar[dict[str, Any]] = {"draft-model": {}, "plain": {}}
    surface = frozenset({"seed"})


class Long(Small, mutants.Overruns):
    """Runs over the end where it speculates, and there only.

    What it prints is nobody's business.
    """

    def steps(self, mode: str) -> Any:
        print("decoding", file=sys.stderr)
        print("decoding")
        way = Small if mode == "plain" else mutants.Overruns
        return way.steps(self, mode)


class Dies(Small):
    """Takes its process along when it speculates."""

    def steps(self, mode: str) -> Any:
        if mode != "plain":
            os._exit(7)
        return super().steps(mode)


class Hangs(Small):
    """Says nothing more when it speculates."""

    def steps(self, mode: str) -> Any:
        if mode != "plain":
            time.sleep(3600)
        return super().steps(mode)


class Unsaid:
    """Does not say what it reads."""

    def generate(self, requests: Any, **how: Any) -> Any:
        return []
