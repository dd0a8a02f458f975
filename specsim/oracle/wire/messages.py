"""Messages as JSON, one a line; large arrays, where the engine takes them, as frames.

A frame is raw little-endian float64. In its place in the message stands its number and
shape; the message lists the length of each frame in bytes, and the frames follow the
line. protocol.schema.json is the reference.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.oracle.engines.contract import Call, printable

PROTOCOL = 1
LARGE = 4096
"""Numbers in an array from which on it goes as a frame."""
START = {"cmd": "start", "protocol": PROTOCOL}
Rows = list[list[float]]


@dataclass(frozen=True)
class Case:
    """One draft, and the luck of each block wanted of it.

    In coin mode accept (blocks, N) and sample (blocks, N+1); in seed mode their count.
    """

    call: Call
    accept: Rows
    sample: Rows
    count: int


@dataclass(frozen=True)
class Run:
    """One request: cases of one operation, in coin mode unless there is a seed."""

    seq: int
    operation: str
    cases: Sequence[Case]
    seed: int | None = None

    @property
    def mode(self) -> str:
        return "coins" if self.seed is None else "seed"


def line(message: dict[str, Any]) -> bytes:
    """One message without frames. Floats read back as they were."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Json:
    """The JSON form; `frames` if the engine takes them."""

    def __init__(self, frames: bool = False):
        self.frames = frames

    def run(self, run: Run) -> bytes:
        frames: dict[int, bytes] = {}
        message = {"cmd": "run", "seq": run.seq, "op": run.operation, "mode": run.mode}
        if run.seed is not None:
            message["seed"] = run.seed
        message["cases"] = [self._case(case, run, frames) for case in run.cases]
        if frames:
            message["frames"] = [*map(len, frames.values())]
        return line(message) + b"".join(frames.values())

    def _case(self, case: Case, run: Run, frames: dict[int, bytes]) -> dict[str, Any]:
        call = case.call
        made: dict[str, Any] = {
            "p": self._rows(call.p, frames),
            "q": None if call.q is None else self._rows(call.q, frames),
            "tokens": call.tokens,
        }
        if run.operation == "verify_tree":
            made |= {"parents": call.parents, "kind": call.kind}
        if run.mode == "seed":
            return made | {"count": case.count}
        return made | {"accept": case.accept, "sample": case.sample}

    def _rows(self, rows: Rows, frames: dict[int, bytes]) -> Any:
        """The rows, or the frame they are in; cases with the same rows share one."""
        if not self.frames or not len(rows) or len(rows) * len(rows[0]) < LARGE:
            return rows
        if id(rows) not in frames:
            frames[id(rows)] = np.asarray(rows, dtype="<f8").tobytes()
        at = [*frames].index(id(rows))
        return {"frame": at, "shape": [len(rows), len(rows[0])]}

    def answer(self, said: str) -> dict[str, Any]:
        """An answer as an object. Bad: it is none."""
        try:
            made = json.loads(said)
        except (ValueError, RecursionError):
            made = None
        if not isinstance(made, dict):
            raise Bad(
                f"said {printable(said, 60)!r}, which is no JSON object: on standard "
                "output only answers, logs on standard error"
            )
        return made
