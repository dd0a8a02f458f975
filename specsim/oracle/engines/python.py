"""A Python engine in a process of its own: started, asked, timed, and ended."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from specsim.errors import Bad
from specsim.oracle.engines.contract import Block, Call
from specsim.oracle.exact import Law

HOME = Path(__file__).resolve().parents[3]
"""Where specsim was imported from; behind it the engine's own paths."""


class Unreadable(Exception):
    """One reading cannot follow the engine: another may."""


class Slow(Unreadable):
    """There was no time for it: a way that needs more calls will not do either."""


class Unsteady(Unreadable):
    """The same coins gave different answers: no reading can be trusted."""


class Failed(Unreadable):
    """The engine raised, or broke the contract, on some of its ways through a call."""


PROBLEMS: dict[str, type[Unreadable]] = {
    "unreadable": Unreadable,
    "slow": Slow,
    "unsteady": Unsteady,
    "failed": Failed,
}


class PythonEngine:
    """`module:attribute`, looked up in the current directory, then as Python does.

    timeout: seconds one request may take before the engine is said to hang.
    """

    def __init__(self, spec: str, timeout: float = 20.0):
        self.spec, self.timeout = spec, timeout
        path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "specsim.oracle.engines.child", spec],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
            text=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def __enter__(self) -> "PythonEngine":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and whatever it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def _ask(self, ask: str, **request: Any) -> dict[str, Any]:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"ask": ask, **request}) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            raise Bad(
                f"engine {self.spec!r} hangs: no answer within {self.timeout:g} s"
            ) from None
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            raise Bad(f"engine {self.spec!r}: its process died ({_ending(code)})")
        answer: dict[str, Any] = json.loads(line)
        if "bad" in answer:
            raise Bad(answer["bad"])
        return answer

    def hello(self) -> dict[str, Any]:
        """What it offers: operations with their modes, others, accepts, kinds."""
        return self._ask("hello")

    def laws(
        self, calls: Sequence[Call], mode: str, reading: str, checks: int = 128
    ) -> list[Law]:
        """The law of each call; a scripted one foretold `checks` fresh runs.

        Unreadable if `reading` cannot follow the engine; Failed if the engine fails.
        """
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
        """One coin-mode call: its block, or what it raised."""
        return _outcome(
            self._ask("once", call=asdict(call), accept=[*accept], sample=[*sample])
        )

    def begun(self, call: Call, value: float) -> Block | str | None:
        """One seed-mode call, its first coins `value`: its block, or what it raised.

        None where the engine draws what is not made of uniforms.
        """
        return _outcome(self._ask("begun", call=asdict(call), value=value))

    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[Block]:
        """Real draws, one of calls[i] for each i in `which`, as far as time allows."""
        answer = self._ask(
            "blocks",
            calls=[*map(asdict, calls)],
            which=[*which],
            seed=seed,
            mode=mode,
            seconds=self.timeout / 3,
        )
        return [tuple(block) for block in answer["blocks"]]


def _outcome(answer: dict[str, Any]) -> Block | str | None:
    if "raised" in answer:
        return str(answer["raised"])
    return tuple(answer["block"]) if answer["block"] is not None else None


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
