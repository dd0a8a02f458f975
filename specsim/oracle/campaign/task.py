"""One check as a task: what names it, and the process that it runs in."""

import hashlib
import json
import os
import sys
import threading
from dataclasses import asdict, dataclass
from typing import Any

from specsim.errors import Bad
from specsim.oracle.engines.contract import told
from specsim.oracle.engines.problems import Broken
from specsim.oracle.engines.process import Process
from specsim.oracle.engines.python import HOME
from specsim.oracle.versions import versions

TRIES = 3
"""How often a task whose process dies is begun."""
LONGEST = 86_400.0
"""Seconds after which a task is given up."""
Outcome = dict[str, Any]
"""{"report": ...}, a Report as JSON, or {"raised": one line}."""


@dataclass(frozen=True)
class Task:
    """What `specsim.oracle.judge.check` is asked."""

    engine: str
    seed: int
    budget: str = "nightly"
    false_alarm: float = 1e-9
    rule: str | None = None

    @property
    def key(self) -> str:
        """The same for the same question to the same specsim, wherever it is asked."""
        asked = {**asdict(self), "specsim": versions()["specsim"]}
        text = json.dumps(asked, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def work(asked: dict[str, Any]) -> Outcome:
    """A task's outcome, in a process of its own, which is begun again if it dies.

    Takes and gives JSON's types alone, so that any executor can carry them.
    """
    died = ""
    for _ in range(TRIES):
        try:
            return _once(asked)
        except Broken as how:
            died = str(how)
    return {"raised": f"{died}, {TRIES} times"}


def _once(asked: dict[str, Any]) -> Outcome:
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    process = Process(
        [sys.executable, "-P", "-m", __name__],
        "a task",
        LONGEST,
        {**os.environ, "PYTHONPATH": path},
    )
    try:
        made: Outcome = json.loads(process.ask(json.dumps(asked).encode() + b"\n"))
        return made
    finally:
        process.close()


def outcome(asked: dict[str, Any]) -> Outcome:
    """A task's outcome, here and now; whatever it raises is one."""
    from specsim.oracle import judge

    try:
        return {"report": judge.check(**asked).as_dict()}
    except Bad as error:
        return {"raised": str(error)}
    except Exception as error:
        return {"raised": told(error)}


def main() -> None:
    """Answer one task on a saved fd 1, and end with whoever asked."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_asker, daemon=True).start()
    print(json.dumps(outcome(asked)), file=answers, flush=True)
    os._exit(0)


def _end_with_the_asker() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
