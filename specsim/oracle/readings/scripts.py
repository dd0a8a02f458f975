"""Written uniforms: what a run is to be given, by index, for as many as it takes."""

import random
from collections.abc import Callable

import numpy as np

Script = Callable[[int], float]
"""The uniforms of a run, by index; there are as many as it likes."""
GRID = 16
EDGE = 2.0**-24
POINTS: list[float] = np.linspace(EDGE, 1 - EDGE, GRID + 1).tolist()


def seeded(seed: int) -> Script:
    """Ordinary ones."""
    rng, drawn = random.Random(seed), list[float]()

    def script(i: int) -> float:
        while len(drawn) <= i:
            drawn.append(rng.random())
        return drawn[i]

    return script


LOW: Script = lambda i: EDGE  # noqa: E731
HIGH: Script = lambda i: 1 - EDGE  # noqa: E731
PROBES = LOW, HIGH, seeded(-1), seeded(-2)


def after(prefix: tuple[float, ...], rest: Script) -> Script:
    """The prefix, then as in `rest`."""
    return lambda i: prefix[i] if i < len(prefix) else rest(i)


def with_one(script: Script, at: int, value: float) -> Script:
    """The same but for one uniform."""
    return lambda i: value if i == at else script(i)
