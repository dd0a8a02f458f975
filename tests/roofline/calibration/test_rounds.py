"""Rounds: how many, what a sample is, and what stalls do to it."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest

from specsim.roofline.calibration import rounds
from specsim.roofline.calibration.clock import MOST_CALLS, CudaClock, HostClock
from specsim.roofline.calibration.probes import Probe, Work
from tests.roofline.calibration import machines

WORK = Work("read", "fp32", 1, 1, 1, 0)


class Told:
    """A clock that says what each probe's work would take, and remembers the calls."""

    def __init__(self, calls: int = 1) -> None:
        self.count = calls
        self.asked: list[tuple[float, int, int]] = []

    def calls(self, probe: Probe) -> int:
        return self.count

    def seconds(self, probe: Probe, place: int, calls: int) -> float:
        self.asked.append((probe.work.bytes, place, calls))
        return probe.work.bytes


def works(*seconds: float) -> list[Probe]:
    return machines.probes(*(Work("read", "fp32", 1, 1, s, 0) for s in seconds))


def test_three_rounds_however_little_time() -> None:
    made = rounds.sample(works(1e-3, 2.0), Told(), 0.0, lambda text: None)
    assert made.tolist() == [[1e-3, 2.0]] * 3


def test_probes_go_on_in_memory_where_the_last_one_stopped() -> None:
    """On whole pieces, and nothing is read again before all of it was."""
    clock = Told(calls=2)
    sizes = 1000, 64, 0, 300
    given = [Work("product", "fp32", 1, size, 1e-3, 0) for size in sizes]
    rounds.sample(machines.probes(*given), clock, 0.0, lambda text: None)
    assert {calls for _, _, calls in clock.asked} == {2}
    places = [place for _, place, _ in clock.asked]
    assert places[:5] == [0, 2048, 2176, 2400, 3000]
    read = [2 * size for size in sizes] * 3
    for place, size, after in zip(places, read, places[1:], strict=False):
        assert after >= place + size


def test_progress_is_told_once_a_round() -> None:
    said: list[str] = []
    rounds.sample(works(1.0), Told(), 0.0, said.append)
    assert [text.partition(",")[0] for text in said] == [
        f"round {n}" for n in (1, 2, 3)
    ]


def test_stalls_in_five_rounds_of_twelve_do_not_show() -> None:
    taken = np.ones((12, 5))
    taken[7:] *= 7
    points = rounds.points(machines.probes(*[WORK] * 5), taken)
    assert {point.seconds for point in points} == {1.0}
    assert {(point.low, point.high) for point in points} == {(1.0, 7.0)}
    assert sorted(rounds.slowness(taken).tolist()) == [1.0] * 7 + [7.0] * 5


@pytest.mark.parametrize("threads", [1, 2])
def test_the_clock_gives_seconds_a_call(threads: int) -> None:
    places: list[int] = []

    def run(place: int) -> object:
        places.append(place)
        return sum(range(200_000))

    probe = Probe(replace(WORK, weights=10), run)
    taken = HostClock(threads).seconds(probe, 50, 4)
    assert places == [50, 60, 70, 80]
    assert 1e-4 < taken < 1


def test_one_thread_alone_does_not_pay_for_sleep() -> None:
    probe = Probe(WORK, lambda turn: time.sleep(0.05))
    assert HostClock(1).seconds(probe, 0, 1) < 0.02
    assert HostClock(2).seconds(probe, 0, 1) >= 0.05


class Replayed:
    """Just enough of torch.cuda: graphs take as long as their calls were told to."""

    def __init__(self, seconds: float) -> None:
        self.each, self.now, self.launched = seconds, 0.0, 0
        self.cuda = self

    def Stream(self) -> object:
        return None

    def stream(self, _: object) -> AbstractContextManager[None]:
        return nullcontext()

    def synchronize(self) -> None: ...

    def CUDAGraph(self) -> "Graph":
        return Graph(self)

    @contextmanager
    def graph(self, made: "Graph") -> Iterator[None]:
        before = self.launched
        yield
        made.calls = self.launched - before

    def Event(self, enable_timing: bool) -> "Event":
        assert enable_timing
        return Event(self)


class Graph:
    def __init__(self, device: Replayed) -> None:
        self.device, self.calls = device, 0

    def replay(self) -> None:
        self.device.now += self.calls * self.device.each


class Event:
    def __init__(self, device: Replayed) -> None:
        self.device, self.at = device, 0.0

    def record(self) -> None:
        self.at = self.device.now

    def synchronize(self) -> None: ...

    def elapsed_time(self, end: "Event") -> float:
        return 1000 * (end.at - self.at)


@pytest.mark.parametrize(
    ("seconds", "calls"), [(1e-3, 2), (1e-9, MOST_CALLS), (1.0, 1)]
)
def test_a_cuda_device_replays_its_graphs(seconds: float, calls: int) -> None:
    device = Replayed(seconds)

    def launch(_: int) -> object:
        device.launched += 1
        return None

    clock, probe = CudaClock(device), Probe(WORK, launch)
    assert clock.calls(probe) == calls
    assert clock.seconds(probe, 0, calls) == pytest.approx(seconds)
    launched = device.launched
    assert clock.seconds(probe, 7, calls) == pytest.approx(seconds)
    assert device.launched == launched
