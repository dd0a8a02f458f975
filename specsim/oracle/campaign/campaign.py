"""Running tasks that are not yet in the store, wherever, and telling how far it is."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import asdict

from specsim.oracle.campaign.combined import Combined, combined
from specsim.oracle.campaign.store import Store
from specsim.oracle.campaign.task import Outcome, Task, work
from specsim.oracle.engines.contract import told
from specsim.progress import Progress


def tasks(
    engines: Sequence[str], seeds: Sequence[int], **how: object
) -> Iterator[Task]:
    """Every engine with every seed, the seeds in turn: all engines are soon judged."""
    for seed in seeds:
        for engine in engines:
            yield Task(engine, seed, **how)  # type: ignore[arg-type]


def run(every: Sequence[Task], executor: Executor, store: Store) -> None:
    """What the store has no report of, each result kept as soon as it is there.

    A task that raises is recorded and stops no other.
    """
    missing = [task for task in every if not store.done(task)]
    start = time.monotonic()
    with Progress() as progress:
        progress(told_of(len(every) - len(missing), len(every), 0, 0.0))
        futures = {executor.submit(work, asdict(task)): task for task in missing}
        for n, future in enumerate(as_completed(futures), 1):
            store.keep(futures[future], _outcome(future))
            spent = time.monotonic() - start
            done = len(every) - len(missing) + n
            progress(told_of(done, len(every), n, spent))


def _outcome(future: Future[Outcome]) -> Outcome:
    """What came of a task; its executor may raise too, if workers die under it."""
    try:
        return future.result()
    except Exception as error:
        return {"raised": told(error)}


def told_of(done: int, of: int, n: int, spent: float) -> str:
    """How far it is, at what rate, and for how long: n tasks were done in `spent` s.

    >>> told_of(12, 40, 2, 60.0)
    '12 of 40 tasks, 2.0 a minute, about 14 min left'
    """
    said = f"{done} of {of} tasks"
    if not n:
        return said
    rate = n / max(spent, 1e-9)
    left = (of - done) / rate
    return f"{said}, {60 * rate:.1f} a minute, about {left / 60:.0f} min left"


def verdicts(every: Sequence[Task], store: Store, false_alarm: float) -> list[Combined]:
    """Of each engine, from all its tasks that are in the store."""
    found: dict[str, list[Outcome]] = {task.engine: [] for task in every}
    for task in every:
        if task in store:
            found[task.engine].append(store[task])
    return [combined(engine, done, false_alarm) for engine, done in found.items()]
