"""What to time with here: torch or NumPy, on which device, with how many threads."""

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from specsim.errors import Bad
from specsim.roofline import catalog, names
from specsim.roofline.calibration import machine
from specsim.roofline.calibration.clock import Clock, CudaClock, HostClock
from specsim.roofline.calibration.probes import Probe
from specsim.roofline.catalog import Gpu

GIB = 2**30
CUDA_POOL = GIB
BACKENDS = "numpy", "torch"
LAYERS = 8
"""Calls of each NumPy probe in a row, as a model has layers."""
VARIABLES = "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"


@dataclass(frozen=True)
class Bench:
    """A device and a library.

    row:    the machine's, without what is to be measured.
    probes: makes them, memory and all.
    ready:  the state of the library in which they run.
    notes:  what could not be had.
    """

    device: str
    threads: int
    software: str
    row: Gpu
    clock: Clock
    probes: Callable[[], list[Probe]]
    ready: Callable[[], AbstractContextManager[object]]
    notes: tuple[str, ...] = ()


def bench(device: str, threads: int | None, backend: str | None = None) -> Bench:
    """On that device; Bad where there is none.

    backend: "numpy" or "torch"; None: torch where it is installed.
    """
    if device not in ("cpu", "cuda"):
        raise Bad(f"--device {device!r}: choose cpu or cuda")
    if backend not in (None, *BACKENDS):
        raise Bad(f"--backend {backend!r}: choose {' or '.join(BACKENDS)}")
    _check(threads)
    torch = importlib.util.find_spec("torch") is not None
    if device == "cuda" and backend == "numpy":
        raise Bad("--device cuda: NumPy has none; leave --backend out")
    if not torch and "torch" in (backend, "torch" if device == "cuda" else None):
        asked = "--device cuda" if device == "cuda" else "--backend torch"
        raise Bad(f"{asked} needs torch: pip install 'specsim-llm[torch]'")
    if backend == "numpy" or not torch:
        return _numpy(threads)
    return _cuda() if device == "cuda" else _torch(threads)


def _check(threads: int | None) -> None:
    most = os.cpu_count() or 1
    if threads is not None and not 1 <= threads <= most:
        raise Bad(f"--threads {threads}: give 1 to {most}, the processors there are")


def _torch(threads: int | None) -> Bench:
    import torch

    from specsim.roofline.calibration import torch_probes

    cache = max(machine.cache_bytes().values(), default=0)
    pool = machine.pool_bytes(cache, machine.memory_bytes())
    count = threads or torch.get_num_threads()
    return Bench(
        "cpu",
        count,
        f"torch {torch.__version__}",
        _host(count, f"torch {torch.__version__}"),
        HostClock(count),
        lambda: list(torch_probes.bench("cpu", pool).probes()),
        lambda: _threaded(torch, count),
    )


@contextmanager
def _threaded(torch: Any, threads: int) -> Iterator[None]:
    """No gradients, so many threads, and afterwards as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(before)


def _cuda() -> Bench:
    import torch

    from specsim.roofline.calibration import torch_probes

    if not torch.cuda.is_available():
        raise Bad("--device cuda: torch sees no CUDA device here: use --device cpu")
    return Bench(
        "cuda",
        torch.get_num_threads(),
        f"torch {torch.__version__}",
        _card(torch),
        CudaClock(torch),
        lambda: list(torch_probes.bench("cuda", CUDA_POOL).probes()),
        torch.inference_mode,
    )


def _numpy(threads: int | None) -> Bench:
    import numpy

    from specsim.roofline.calibration import numpy_probes

    said = next((os.environ[name] for name in VARIABLES if name in os.environ), None)
    if threads is not None and said != str(threads):
        raise Bad(
            f"--threads {threads}: it is NumPy that is measured, which takes its "
            f"threads from the environment: set {VARIABLES[0]}={threads}"
        )
    cache = max(machine.cache_bytes().values(), default=0)
    pool = machine.pool_bytes(cache, machine.memory_bytes())
    count = int(said) if said and said.isdecimal() else os.cpu_count() or 1
    software = f"numpy {numpy.__version__}"
    return Bench(
        "cpu",
        count,
        software,
        _host(count, software),
        HostClock(count, LAYERS),
        lambda: list(numpy_probes.probes(pool)),
        nullcontext,
        ("NumPy was measured, as reference/model uses it, in fp32 alone",),
    )


def _host(threads: int, software: str) -> Gpu:
    """The row of the computer itself."""
    name, caches = machine.processor(), machine.cache_bytes()
    return row(
        name=f"{name}, {threads} thread{'s' if threads > 1 else ''}",
        vendor=machine.vendor(name),
        arch="CPU",
        mem_gb=(machine.memory_bytes() or 16 * GIB) / GIB,
        mem_type="shared with the host",
        l2_mb=caches[2] / 2**20 if 2 in caches else None,
        llc_mb=max(caches.values()) / 2**20 if caches else None,
        source=f"specsim calibrate, {date.today()}, {software}",
    )


def _card(torch: Any) -> Gpu:
    """The row of gpus.csv, where torch's name for the card settles one."""
    name, card = torch.cuda.get_device_name(), torch.cuda.get_device_properties(0)
    source = f"specsim calibrate, {date.today()}, torch {torch.__version__}"
    try:
        known = names.gpu(name)
    except Bad:
        return row(
            name=name,
            vendor=machine.vendor(name),
            arch="CUDA {}.{}".format(*torch.cuda.get_device_capability()),
            mem_gb=card.total_memory / GIB,
            mem_type="device memory",
            source=source,
        )
    return replace(known, source=f"{known.source}; kernels: {source}")


def row(**said: Any) -> Gpu:
    """A row of gpus.csv that holds what is said, and rates yet to be measured."""
    empty: dict[str, Any] = dict.fromkeys(field.name for field in fields(catalog.Gpu))
    return Gpu(
        **empty
        | {"aliases": (), "year": date.today().year, "mem_bw_gbs": 0.0}
        | {"interconnect": "none", "confidence": "measured"}
        | said
    )
