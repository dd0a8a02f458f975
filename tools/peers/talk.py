"""The near end: a worker asked with a time limit, started again when it dies."""

import contextlib
import json
import math
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tools.peers.question import Question

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
START_S = 120.0
"""Seconds until a process is ready: imports of heavy simulators, on a busy machine."""
PATIENCE = 3
"""Processes lost in a row before the simulator is given up."""


class Lost(Exception):
    """The process hung, died or spoke nonsense; the message says which."""


@dataclass(frozen=True)
class Outcome:
    """An answer (ms; seconds is what it took), or why there is none."""

    ms: float | None = None
    ttft_ms: float | None = None
    seconds: float | None = None
    refused: str | None = None


class Process:
    """A worker; `start_s` is what it took from nothing to its first line."""

    def __init__(self, python: str, module: str, limit_s: float) -> None:
        self.limit_s = limit_s
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [python, "-m", "tools.peers.worker", module],
            cwd=ROOT,
            env=os.environ | OFFLINE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            encoding="utf-8",
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            self._said(START_S)
        except Lost:
            self.close()
            raise
        self.start_s = time.perf_counter() - start

    def ask(self, asked: Question) -> dict[str, Any]:
        """Lost if no answer comes."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(asked.as_dict()) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Lost(f"died: {self._last_error()}") from None
        return self._said(self.limit_s)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join(timeout=5)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _said(self, limit_s: float) -> dict[str, Any]:
        """Its next line."""
        try:
            line = self.lines.get(timeout=limit_s)
        except queue.Empty:
            raise Lost(f"no answer in {limit_s:g} s") from None
        if not line:
            raise Lost(f"died: {self._last_error()}")
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise Lost(f"spoke nonsense: {line[:80]!r}")
        return reply

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def _last_error(self) -> str:
        self.process.kill()
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return (lines or ["without a word"])[-1][:160]


def start_seconds(python: str, module: str, times: int) -> float:
    """The least of so many processes, none of which is asked anything."""
    taken = []
    for _ in range(times):
        process = Process(python, module, START_S)
        process.close()
        taken.append(process.start_s)
    return min(taken)


def answers(
    python: str, module: str, questions: Sequence[Question], limit_s: float
) -> list[Outcome]:
    """An outcome for each question, whatever the simulator does."""
    made: list[Outcome] = []
    process, lost = None, 0
    for asked in questions:
        if lost == PATIENCE:
            made.append(Outcome(refused=f"given up: lost {PATIENCE} times in a row"))
            continue
        try:
            process = process or Process(python, module, limit_s)
            made.append(_outcome(process.ask(asked)))
            lost = 0
        except Lost as loss:
            made.append(Outcome(refused=str(loss)))
            lost += 1
            if process:
                process.close()
            process = None
    if process:
        process.close()
    return made


def _outcome(reply: dict[str, Any]) -> Outcome:
    if "refused" in reply:
        return Outcome(refused=str(reply["refused"]))
    ms, ttft = reply.get("ms"), reply.get("ttft_ms")
    if not _time(ms):
        return Outcome(refused=f"answered {ms!r}")
    return Outcome(ms, ttft if _time(ttft) else None, reply.get("seconds"))


def _time(ms: object) -> bool:
    return isinstance(ms, int | float) and math.isfinite(ms) and ms > 0
