"""An engine that fails whatever its coins are: told at once, and by which call."""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from specsim.oracle import cases
from specsim.oracle.engines.contract import Call
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import Broken
from specsim.oracle.worlds import World


def play(host: Host, operation: str, mode: str, world: World, seed: int) -> None:
    """Every draft of a world once, with ordinary coins. Broken, with the call in full,
    if the engine fails at one.
    """
    for call in cases.calls(world, operation)[0]:
        try:
            host.blocks([call], [0], seed, mode)
        except Broken as how:
            asked = ", ".join(written(call, mode, seed))
            raise Broken(f"{how}; asked with {asked}") from None


def written(call: Call, mode: str, seed: int) -> Iterator[str]:
    """The arguments of a call and the luck that `Host.blocks` gives it."""
    for name, value in asdict(call).items():
        tree = call.operation == "verify_tree"
        if name in ("p", "q", "tokens") or (tree and name in ("parents", "kind")):
            yield f"{name} = {value!r}"
    if mode == "coins":
        n, rng = len(call.tokens), np.random.default_rng(seed)
        yield f"accept = {rng.random(n).tolist()}"
        yield f"sample = {rng.random(n + 1).tolist()}"
    elif mode == "rng":
        yield f"rng = numpy.random.default_rng({seed})"
    else:
        yield f"seed = {seed}"
