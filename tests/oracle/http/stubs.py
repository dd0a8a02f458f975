"""The stub in this process, and a bench that asks little of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

from specsim.oracle.http.bench import Bench, Scale
from specsim.oracle.http.checks import CHECKS
from specsim.oracle.http.reference import Reference
from specsim.oracle.http.server import found
from specsim.oracle.http.stub.engine import Engine
from specsim.oracle.http.stub.faults import FAULTS
from specsim.oracle.http.stub.serve import Stub

SMALL = Scale(2, 8, 2, stream=96, texts=2, pairs=8, timeout=60.0)
LARGE = replace(SMALL, repeats=32, rounds=12, stream=1920, pairs=48)
"""For what only many draws can find; rejected, they stop as soon as they can."""
HURDLE = 10.0
ROWS = {check.name.removeprefix("http/"): check for check in CHECKS}


@contextmanager
def served(
    fault: str | None = None, plain: bool = False, dialect: str = "both"
) -> Iterator[str]:
    """The URL of a stub, right or with a fault."""
    planted = FAULTS[fault].planted() if fault else nullcontext()
    with planted, Stub(Engine(plain, seed=int(plain)), dialect=dialect) as stub:
        thread = threading.Thread(target=stub.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield stub.url
        finally:
            stub.shutdown()
            thread.join()


def bench(url: str, plain_url: str | None = None, scale: Scale = SMALL) -> Bench:
    """All that a check may need."""
    known = Reference("probe")
    plain = found(plain_url, vocab=known.vocab, timeout=60.0) if plain_url else None
    server = found(url, vocab=known.vocab, timeout=60.0)
    return Bench(server, plain, known, scale, 0, HURDLE)
