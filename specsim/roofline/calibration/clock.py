"""How long one call takes: by the host's clock, or by a CUDA device's own."""

import time
from math import ceil
from typing import Any, Protocol

from specsim.roofline.calibration.probes import Probe

RESOLUTION_S = 1e-6
SAMPLE_S = 0.002
MOST_CALLS = 200
"""A sample of a CUDA device lasts 2 ms, or so many calls."""


class Clock(Protocol):
    """Takes the time of calls in a row."""

    def calls(self, probe: Probe) -> int:
        """How many make a good sample."""
        ...

    def seconds(self, probe: Probe, place: int, calls: int) -> float:
        """Seconds a call, over `calls` of them, on pieces from byte `place` on."""
        ...


class HostClock:
    """Calls that are over when they return; what they cost in the interpreter counts.

    One thread alone is asked how long it ran: time in which others held its processor
    does not count. Of several threads it is the time that passed.

    A sample is one call, as cold as calls are in a decode step, where every product
    drives out of the caches what came before it, the interpreter included; or a few in
    a row where code that is long stays in the caches from layer to layer.
    """

    def __init__(self, threads: int, calls: int = 1) -> None:
        self._calls = calls
        fine = time.get_clock_info("thread_time").resolution <= RESOLUTION_S
        self._now = time.thread_time if threads == 1 and fine else time.perf_counter

    def calls(self, probe: Probe) -> int:
        """The same of every probe."""
        return self._calls

    def seconds(self, probe: Probe, place: int, calls: int) -> float:
        """Seconds a call."""
        piece, start = probe.piece, self._now()
        for call in range(calls):
            probe.run(place + call * piece)
        return (self._now() - start) / calls


class CudaClock:
    """Calls recorded in a CUDA graph once, then replayed between two events.

    So decoding engines launch their kernels.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._graphs: dict[tuple[Probe, int], Any] = {}

    def calls(self, probe: Probe) -> int:
        """As many as take 2 ms."""
        once = self.seconds(probe, 0, 1)
        return min(ceil(SAMPLE_S / max(once, 1e-9)), MOST_CALLS)

    def seconds(self, probe: Probe, place: int, calls: int) -> float:
        """Seconds a call, of the device; pieces are those of the recording."""
        key = probe, calls
        if key not in self._graphs:
            self._graphs[key] = self._recorded(probe, calls)
        start, end = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self._graphs[key].replay()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) / 1000 / calls

    def _recorded(self, probe: Probe, calls: int) -> Any:
        cuda = self._torch.cuda
        with cuda.stream(cuda.Stream()):
            probe.run(0)
        cuda.synchronize()
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            for call in range(calls):
                probe.run(call * probe.piece)
        graph.replay()
        cuda.synchronize()
        return graph
