"""Measure this machine: time the probes, fit the form, and make the rows."""

import math
import time
from collections.abc import Iterator

from specsim.errors import Bad
from specsim.roofline.calibration import rounds, rows
from specsim.roofline.calibration.bench import Bench, bench
from specsim.roofline.calibration.probes import Probe
from specsim.roofline.calibration.result import Calibration
from specsim.roofline.calibration.rounds import Say
from specsim.roofline.constants import Spread

BUSY = 1.3
PRESENT = 0.9
"""A machine does something else whose slow rounds take so many times its usual ones, or
whose processors this program has for a smaller share of the time."""


def calibrate(
    device: str = "cpu",
    threads: int | None = None,
    seconds: float = 15.0,
    say: Say = lambda text: None,
    backend: str | None = None,
) -> Calibration:
    """Time small pieces of decode steps for about so many seconds, or three rounds.

    threads: of torch, None for as many as it would take. say: is told how far it is.
    backend: "torch", or "numpy": the kernels of reference/model, with the threads that
             its environment sets; None: torch where it is installed.

    Bad where the device is missing.
    """
    if not math.isfinite(seconds) or not 0 < seconds <= 3600:
        raise Bad(f"--seconds {seconds}: give a number from 0 to 3600")
    with (chosen := bench(device, threads, backend)).ready():
        return _measured(chosen, seconds, say)


def _measured(chosen: Bench, seconds: float, say: Say) -> Calibration:
    start = time.monotonic()
    say("filling memory")
    probes, missing = _working(chosen.probes())
    ran, began = time.thread_time(), time.monotonic()
    samples = rounds.sample(probes, chosen.clock, seconds, say)
    share = (time.thread_time() - ran) / (time.monotonic() - began)
    found = rows.found(probes, samples)
    card = rows.card(found, chosen.row)
    return Calibration(
        card=card,
        kernels=rows.kernels(found, card),
        device=chosen.device,
        threads=chosen.threads,
        software=chosen.software,
        rounds=len(samples),
        seconds=time.monotonic() - start,
        notes=(*chosen.notes, *missing, *_busy(chosen.device, share, found.drift)),
        points=tuple(found.points),
    )


def _working(probes: list[Probe]) -> tuple[list[Probe], list[str]]:
    """Those this device and library can do, warm; and a line on each they cannot."""
    working, refused = [], set()
    for probe in probes:
        try:
            probe.run(0)
            working.append(probe)
        except (AttributeError, NotImplementedError, RuntimeError) as error:
            first = _printable(str(error).partition("\n")[0][:100])
            refused.add(f"no {probe.work.kind} in {probe.work.format} here: {first}")
    return working, sorted(refused)


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, text))


def _busy(device: str, share: float, drift: Spread) -> Iterator[str]:
    """What disturbed it; a program that waits for a device needs no processor."""
    again = "calibrate again when the machine is idle"
    if device == "cpu" and share < PRESENT:
        yield f"this program had its processor for {share:.0%} of the time: {again}"
    if drift.high > BUSY:
        yield f"one round in ten took {drift.high:.1f} times the usual: {again}"
