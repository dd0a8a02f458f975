"""Where tasks run: here, or on the workers of a dask cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any

from specsim.errors import Bad

CONNECTING = 30
"""Seconds in which a scheduler has to answer."""
INSTALL = "pip install 'specsim-llm[cluster]'"


@contextmanager
def local(workers: int, address: str | None) -> Iterator[Executor]:
    """So many at once on this machine: threads, each waiting for its task's process."""
    if address:
        raise Bad("--scheduler-address is of --executor dask")
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def dask(workers: int, address: str | None) -> Iterator[Executor]:
    """The workers of the cluster at this address; how many there are is its affair.

    A task whose worker dies is given to another one by the scheduler, a few times.
    """
    if not address:
        raise Bad("--executor dask needs --scheduler-address HOST:PORT")
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError:
        raise Bad(f"--executor dask needs distributed: {INSTALL}") from None
    try:
        client = distributed.Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Bad(f"--scheduler-address {address}: no scheduler: {error}") from None
    with client:
        yield client.get_executor(pure=False)


Opened = Callable[[int, str | None], AbstractContextManager[Executor]]
EXECUTORS: dict[str, Opened] = {"local": local, "dask": dask}
