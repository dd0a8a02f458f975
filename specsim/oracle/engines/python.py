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


class Failed(Unreadable):
    """The engine raised, or broke the contract, on some of its ways through a call."""


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
            raise Bad(f"engine {self.spec!r} died mid-answer ({_ending(code)})")
        answer: dict[str, Any] = json.loads(line)
        if "bad" in answer:
            raise Bad(answer["bad"])
        return answer

    def hello(self) -> dict[str, Any]:
        """What it offers: operations with their modes, others, accepts, kinds."""
        return self._ask("hello")

    def laws(self, calls: Sequence[Call], mode: str, reading: str) -> list[Law]:
        """The law of each call.

        Unreadable if `reading` cannot follow the engine; Failed if the engine fails.
        """
        answer = self._ask(
            "law",
            calls=[*map(asdict, calls)],
            mode=mode,
            reading=reading,
            seconds=self.timeout / 2,
        )
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        if "failed" in answer:
            raise Failed(answer["failed"])
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

    def constant(self, call: Call, value: float) -> Block | str | None:
        """One seed-mode call, every uniform `value`: its block, or what it raised.

        None where the engine draws what is not made of uniforms.
        """
        return _outcome(self._ask("constant", call=asdict(call), value=value))

    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[Block]:
        """Real draws: one of calls[i] for each i in `which`."""
        answer = self._ask(
            "blocks", calls=[*map(asdict, calls)], which=[*which], seed=seed, mode=mode
        )
        return [tuple(block) for block in answer["blocks"]]


def _outcome(answer: dict[str, Any]) -> Block | str | None:
    if "raised" in answer:
        return str(answer["raised"])
    return tuple(answer["block"]) if answer["block"] is not None else None


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
