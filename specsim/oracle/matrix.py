"""Which way of asking kills which planted bug: the kill matrix.

Columns: `law`, the exact law of what is emitted; `vectors`, golden vectors; `draft`,
the exact law of what is drafted; `drawn`, blocks that evidence is expected to need in
the bug's own world; `runs`, statements about whole runs; `independence` and `replay`,
bets on ties and the same seed again. Bugs of adapters and servers, and of large
vocabularies, are judged by the tests of those.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from specsim.oracle import cases, fixtures, vectors
from specsim.oracle.drafting import cases as drafting_cases
from specsim.oracle.drafting import host, law
from specsim.oracle.engines import drafters
from specsim.oracle.independence.lags import dependence
from specsim.oracle.independence.pits import telling, uniforms
from specsim.oracle.independence.streams import STREAMS, Verifier
from specsim.oracle.kills import kill
from specsim.oracle.large import faults
from specsim.oracle.loops import statements
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.mutants.loops import LOOPS
from specsim.oracle.mutants.table import Planted, table
from specsim.oracle.planted import CoinFault, Mutant, Wiring
from specsim.oracle.vectors.targeted import shows

TIERS = "law", "vectors", "draft", "drawn", "runs", "independence", "replay"
HURDLE = 9 * math.log(10)
"""Nats at which evidence rejects."""
ROWS, CALLS = 8, 300


@dataclass(frozen=True)
class Row:
    """One bug: what each tier that can see it says. Empty: it lives there."""

    name: str
    level: str
    tier: str
    says: dict[str, str] = field(default_factory=dict)

    @property
    def killed(self) -> bool:
        """By the tier that has to."""
        return bool(self.says.get(self.tier))


def rows() -> list[Planted]:
    """The bugs that are judged here."""
    return [
        row
        for row in table()
        if row.level not in ("wire", "api") and row.tier != faults.TIER
    ]


def judged(name: str) -> Row:
    """All tiers, of one bug."""
    row = next(row for row in rows() if row.name == name)
    says = {
        "verifier": _verifier,
        "drafter": _drafter,
        "loop": _loop,
        "stream": _stream,
    }[row.level](name)
    return Row(name, row.level, row.tier, says)


def _verifier(name: str) -> dict[str, str]:
    mutant = MUTANTS[name]
    dead = kill(mutant)
    if isinstance(mutant, CoinFault):
        return {"law": "", "vectors": dead.by if dead.tier else ""}
    assert isinstance(mutant, Mutant)
    vector = (v.id for v in vectors.load(mutant.rule) if shows(v, mutant))
    return {
        "law": dead.by if dead.tier == "law" else "",
        "vectors": next(vector, ""),
        "drawn": _drawn(name),
    }


def _drawn(name: str) -> str:
    """Blocks until the evidence of the bug's own bets is expected to reject."""
    best = fixtures.kept().get(name)
    return f"{math.ceil(HURDLE / best.nats):,} blocks" if best else ""


def _drafter(name: str) -> dict[str, str]:
    wiring = MUTANTS[name]
    assert isinstance(wiring, Wiring)
    dead = kill(wiring)
    by_law = dead.by if dead.tier == "law" else ""
    return {"law": by_law, "draft": _drafted(wiring), "drawn": _drawn(name)}


def _drafted(wiring: Wiring) -> str:
    """The first model in which it does not draw from what it declares."""
    draft = drafters.Planted(wiring).draft
    for case in drafting_cases.every("quick"):
        read = host.read(draft, case.asked, "rng", "symbolic", lambda: False)
        if any(gap.size > law.ROUNDING for _, gap in law.gaps(read)):
            return case.name
        if any(complaint for one in read for complaint in law.complaints(one)):
            return f"{case.name}, rows"
    return ""


def _loop(name: str) -> dict[str, str]:
    fault = next(fault for fault in LOOPS if fault.name == name)
    return {"runs": statements.kill(fault) or ""}


def _stream(name: str) -> dict[str, str]:
    fault = STREAMS[name]
    verifier, rows = Verifier(fault.make()), ROWS if fault.batch else 1
    first, again = (blocks(verifier, rows, 1) for _ in range(2))
    found = dependence(numbers(first))
    return {
        "independence": str(found) if found.log10_e > 9 else "",
        "replay": "another block" if first != again else "",
    }


def blocks(verifier: Verifier, rows: int, seed: int) -> list[list[list[int]]]:
    """What is emitted, call by call and row by row, drafts drawn beside."""
    asked, odds = cases.calls(telling(), "verify")
    luck, own = (np.random.default_rng([seed, n]) for n in range(2))
    drawn = own.choice(len(asked), (CALLS, rows), p=np.array(odds, float))

    def block(call: int, row: int) -> list[int]:
        p, q, tokens = asked[drawn[call, row]].arguments()
        return verifier.row(p, q, tokens, luck, call, row)

    return [[block(t, r) for r in range(rows)] for t in range(CALLS)]


def numbers(made: Sequence[Sequence[Sequence[int]]]) -> Any:
    """Of the tokens of one row; of several rows those of the first tokens."""
    world, own = telling(), np.random.default_rng(0)
    u = np.array([[uniforms(world, b, own) for b in row] for row in made])
    return u[:, 0] if u.shape[1] == 1 else u[:, :, 0]


def text(found: Sequence[Row]) -> list[str]:
    """A line a bug: * where a tier kills it, ! where the one that has to does not."""
    lines = [f"  {'mutant':40} {'level':9} " + " ".join(f"{t:>12}" for t in TIERS)]
    for row in found:
        cells = [row.says.get(tier) for tier in TIERS]
        marks = [
            "" if c is None else mark(c, t) for c, t in zip(cells, TIERS, strict=True)
        ]
        primary = "" if row.killed else f"  ALIVE at {row.tier}"
        tail = " ".join(f"{m:>12}" for m in marks)
        lines.append(f"  {row.name:40} {row.level:9} {tail}{primary}")
    return lines


def mark(says: str, tier: str) -> str:
    """What a cell shows."""
    if tier == "drawn":
        return says.removesuffix(" blocks") or "-"
    return "killed" if says else "lives"
