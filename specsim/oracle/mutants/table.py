"""All planted bugs in one table, whatever part of an engine they sit in.

A module that plants others offers them in FAULTS and is named in `_everywhere`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from specsim.oracle.planted import CoinFault, Wiring

Level = Literal["verifier", "drafter", "loop", "stream", "wire", "api"]
WIRE = "message"


@dataclass(frozen=True)
class Planted:
    """One planted bug.

    level:   what is at fault: a rule, a drafter, the loop around them, the stream of
             coins, an adapter on the wire, a server.
    where:   the rule, or the file below the top of the project.
    kind:    what sort of fault it is, in a few words.
    line:    what was changed.
    reports: public issues, pull requests or commits where it was seen.
    tier:    the way of asking that has to kill it.
    """

    name: str
    level: Level
    where: str
    kind: str
    line: str
    reports: tuple[str, ...]
    tier: str


@cache
def table() -> tuple[Planted, ...]:
    """Every row."""
    return (*_rules(), *_loops(), *_streams(), *_everywhere())


def _rules() -> Iterator[Planted]:
    from specsim.oracle.mutants import MUTANTS

    for m in MUTANTS.values():
        level: Level = "drafter" if isinstance(m, Wiring) else "verifier"
        tier = "vectors" if isinstance(m, CoinFault) else "law"
        tier = "draft" if level == "drafter" else tier
        yield Planted(m.name, level, m.rule, m.kind, m.line, m.reports, tier)


def _loops() -> Iterator[Planted]:
    from specsim.oracle.mutants.loops import LOOPS

    for m in LOOPS:
        yield Planted(m.name, "loop", m.file, m.kind, changed(m), m.reports, "runs")


def _streams() -> Iterator[Planted]:
    from specsim.oracle.independence.streams import IGNORED, STREAMS

    for m in STREAMS.values():
        tier = "replay" if m.kind == IGNORED else "independence"
        where = "specsim/oracle/independence/streams"
        yield Planted(m.name, "stream", where, m.kind, m.line, m.reports, tier)


def _everywhere() -> Iterator[Planted]:
    from specsim.oracle.http.stub.faults import OF_THE_SERVER
    from specsim.oracle.large.faults import FAULTS as AT_LARGE
    from specsim.oracle.wire.faults import FAULTS

    adapter = "specsim/oracle/wire/adapters/engine.py"
    for large in AT_LARGE:
        more = changed(large), large.reports, large.tier
        yield Planted(large.name, "verifier", "chain", large.kind, *more)
    for f in FAULTS:
        yield Planted(f.name, "wire", adapter, WIRE, changed(f), f.reports, f.tier)
    for m in OF_THE_SERVER:
        yield Planted(m.name, "api", m.file, m.kind, changed(m), m.reports, "http")


def changed(fault: Any) -> str:
    return f"{fault.old}  ->  {fault.new}"


def counted(rows: Iterable[Planted]) -> dict[str, int]:
    """How many there are of each level."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.level] = counts.get(row.level, 0) + 1
    return counts
