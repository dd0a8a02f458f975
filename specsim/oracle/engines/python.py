"""A Python engine in a process of its own: started, asked, timed, and ended."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from specsim.errors import Bad
from specsim.oracle.engines.contract import Block, Call
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import (
    Broken,
    Failed,
    Slow,
    Unreadable,
    Unsteady,
)
from specsim.oracle.engines.process import Process
from specsim.oracle.exact import Law
from specsim.oracle.large.rows import Large

HOME = Path(__file__).resolve().parents[3]
"""Where specsim was imported from; behind it the engine's own paths."""
LOADING = 180.0
"""Seconds an engine's first answer may take, which waits for all that it imports."""
PROBLEMS: dict[str, type[Unreadable]] = {
    "unreadable": Unreadable,
    "slow": Slow,
    "unsteady": Unsteady,
    "failed": Failed,
}


class PythonEngine(Host):
    """`module:attribute`, looked up in the current directory, then as Python does.

    timeout: seconds one request may take before the engine is said to hang.
    """

    readings = dict.fromkeys(("rng", "coins"), ("symbolic", "scripted"))

    def __init__(self, spec: str, timeout: float = 20.0):
        self.spec, self.timeout = spec, timeout
        path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
        self.process = Process(
            [sys.executable, "-P", "-m", "specsim.oracle.engines.child", spec],
            f"engine {spec!r}",
            max(timeout, LOADING),
            {**os.environ, "PYTHONPATH": path},
        )

    def afresh(self) -> "PythonEngine":
        return PythonEngine(self.spec, self.timeout)

    def _ask(self, ask: str, **request: Any) -> dict[str, Any]:
        line = json.dumps({"ask": ask, **request}) + "\n"
        answer: dict[str, Any] = json.loads(self.process.ask(line.encode()))
        self.process.timeout = self.timeout
        if "bad" in answer:
            raise Broken(answer["bad"])
        return answer

    def hello(self) -> dict[str, Any]:
        try:
            return self._ask("hello")
        except Broken as missing:
            raise Bad(str(missing)) from None

    def laws(
        self, calls: Sequence[Call], mode: str, reading: str, checks: int = 128
    ) -> list[Law]:
        answer = self._ask(
            "law",
            calls=[*map(asdict, calls)],
            mode=mode,
            reading=reading,
            seconds=self.timeout / 3,
            checks=checks,
        )
        for word, problem in PROBLEMS.items():
            if word in answer:
                raise problem(answer[word])
        return [
            {tuple(block): Fraction(odds) for block, odds in law}
            for law in answer["laws"]
        ]

    def once(
        self, call: Call, accept: Sequence[float], sample: Sequence[float]
    ) -> Block | str | None:
        return _outcome(
            self._ask("once", call=asdict(call), accept=[*accept], sample=[*sample])
        )

    def begun(self, call: Call, value: float) -> Block | str | None:
        return _outcome(self._ask("begun", call=asdict(call), value=value))

    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[Block]:
        answer = self._ask(
            "blocks",
            calls=[*map(asdict, calls)],
            which=[*which],
            seed=seed,
            mode=mode,
            seconds=self.timeout / 3,
        )
        return [tuple(block) for block in answer["blocks"]]

    def large(
        self, world: Large, drafts: Sequence[list[int]], seed: int, mode: str
    ) -> list[Block]:
        answer = self._ask(
            "large",
            world=asdict(world),
            drafts=[*drafts],
            seed=seed,
            mode=mode,
            seconds=self.timeout / 3,
        )
        return [tuple(block) for block in answer["blocks"]]


def _outcome(answer: dict[str, Any]) -> Block | str | None:
    if "raised" in answer:
        return str(answer["raised"])
    return tuple(answer["block"]) if answer["block"] is not None else None
