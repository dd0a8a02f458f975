"""Streams of uniforms with a fault, behind a verifier that is right.

Every one of them is uniform by itself, so no law of one block shows it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.engines import planted
from specsim.rules import RULES

Array = NDArray[np.float64]
SHARED = "stream shared"
REPEATED = "stream repeated"
IGNORED = "seed ignored"


class Stream:
    """Where the coins of a call come from: fresh ones, unless a subclass says else."""

    def __init__(self) -> None:
        self._kept: dict[Any, Array] = {}

    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        """So many uniforms for a row of a batch in a call; rows are asked in order."""
        return np.asarray(rng.random(n))

    def once(self, key: Any, rng: Any, n: int) -> Array:
        """The same coins whenever that key comes again."""
        if (key, n) not in self._kept:
            self._kept[key, n] = np.asarray(rng.random(n))
        return self._kept[key, n]


class OneForAllRows(Stream):
    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self.once(call, rng, n)


class OneForTwoRows(Stream):
    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self.once((call, row // 2), rng, n)


class StepPlusRow(Stream):
    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self.once(call + row, rng, n)


class Repeating(Stream):
    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self.once((call % 16, row), rng, n)


class Constant(Stream):
    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self.once(row, rng, n)


class Carried(Stream):
    """The coin that drew a token decides whether the next draft is kept."""

    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        coins: Array = np.asarray(rng.random(n))
        if n > 1 and row in self._kept:
            coins[0] = self._kept[row][0]
        self._kept[row] = coins[n // 2 :].copy()
        return coins


class Global(Stream):
    def __init__(self) -> None:
        super().__init__()
        self._own = np.random.default_rng(0)

    def coins(self, rng: Any, call: int, row: int, n: int) -> Array:
        return self._own.random(n)


class Clock(Global):
    def __init__(self) -> None:
        super().__init__()
        self._own = np.random.default_rng()


@dataclass(frozen=True)
class StreamFault:
    """A faulty stream. batch: whether it takes several rows to show."""

    name: str
    make: Callable[[], Stream]
    line: str
    kind: str
    reports: tuple[str, ...] = ()
    batch: bool = False


STREAMS = {
    fault.name: fault
    for fault in [
        StreamFault(
            "one-stream-for-all-rows",
            OneForAllRows,
            "every request of a batch reads the same uniforms",
            SHARED,
            ("flashinfer-ai/flashinfer at fb28d724",),
            batch=True,
        ),
        StreamFault(
            "one-stream-for-two-rows",
            OneForTwoRows,
            "requests of a batch read the same uniforms in pairs",
            SHARED,
            batch=True,
        ),
        StreamFault(
            "seed-of-step-plus-row",
            StepPlusRow,
            "the seed is the number of the step plus that of the row",
            SHARED,
            batch=True,
        ),
        StreamFault(
            "stream-begins-anew",
            Repeating,
            "the stream begins anew every 16 calls",
            REPEATED,
            ("Infini-AI-Lab/Sequoia at 0ff3ff7",),
        ),
        StreamFault(
            "counter-not-advanced",
            Constant,
            "every call reads the same uniforms",
            REPEATED,
            ("NVIDIA/TensorRT-Edge-LLM#211",),
        ),
        StreamFault(
            "coin-carried-over",
            Carried,
            "the coin that drew a token accepts in the next call",
            REPEATED,
            ("Infini-AI-Lab/Sequoia at 0ff3ff7",),
        ),
        StreamFault(
            "global-generator",
            Global,
            "a generator of its own in place of the request's",
            IGNORED,
            ("vllm-project/vllm#6038", "NVIDIA/TensorRT-LLM#17599"),
        ),
        StreamFault(
            "seed-of-the-clock",
            Clock,
            "a generator seeded by the clock",
            IGNORED,
            ("ohdearquant/lattice#388",),
        ),
    ]
}


class Verifier:
    """The rule of chains as an engine, its coins from such a stream."""

    seeded = True

    def __init__(self, stream: Stream):
        self._stream, self._calls = stream, 0
        self._verify = planted.engine(RULES["chain"].verify, tree=False)

    def verify(self, p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        self._calls += 1
        return self.row(p, q, tokens, rng, self._calls, 0)

    def row(
        self, p: Array, q: Array, tokens: Array, rng: Any, call: int, row: int
    ) -> list[int]:
        """One row of a batch."""
        k = len(tokens)
        coins = self._stream.coins(rng, call, row, 2 * k + 1)
        block: list[int] = self._verify(
            p, q, tokens, accept=coins[:k], sample=coins[k:]
        )
        return block


def __getattr__(name: str) -> Any:
    if name not in STREAMS:
        raise AttributeError(f"no faulty stream {name!r}")
    return Verifier(STREAMS[name].make())
