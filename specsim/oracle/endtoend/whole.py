"""A whole Python engine in a process of its own."""

from collections.abc import Sequence
from pathlib import Path

from specsim.errors import Bad
from specsim.oracle.endtoend.offer import Offer
from specsim.oracle.endtoend.request import Answer, Request
from specsim.oracle.engines.python import PythonEngine

SIGN_OF_LIFE = 5.0
"""Seconds to wait for an engine that did wrong, before it is given up."""


class Whole(PythonEngine):
    """`module:attribute` with a method `generate`."""

    def offer(self) -> Offer:
        """What it says of itself. Bad: an attribute is missing or absurd."""
        return Offer.from_dict(self._ask("offer")["offer"])

    def generate(
        self, requests: Sequence[Request], mode: str, target: Path, draft: Path
    ) -> list[Answer]:
        """Its answers, in order. Bad: it breaks the contract, is dead, or hangs."""
        answer = self._ask(
            "generate",
            requests=[request.as_dict() for request in requests],
            mode=mode,
            target=str(target),
            draft=str(draft),
        )
        return [Answer.from_dict(each) for each in answer["answers"]]


class Loaded:
    """A whole engine in one mode: a drawing.Session."""

    def __init__(self, engine: Whole, mode: str, target: Path, draft: Path):
        self._engine, self._asked = engine, (mode, target, draft)

    def generate(self, requests: Sequence[Request]) -> list[Answer]:
        return self._engine.generate(requests, *self._asked)

    def revive(self) -> None:
        """Nothing, if the process still answers."""
        self._engine.process.timeout = SIGN_OF_LIFE
        try:
            self._engine.hello()
        except Bad as dead:
            raise Bad(f"nothing more can be asked in this mode: {dead}") from None
