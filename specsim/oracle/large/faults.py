"""Faults that only a large vocabulary shows: the rule for chains, one line replaced.

The faults are deliberate: they prove that asking there can fail. In a vocabulary of a
few words each is right, or off by what no one could count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from specsim.oracle.engines import planted
from specsim.oracle.large.rows import Array
from specsim.oracle.planted import rewritten
from specsim.rules import Verify

TIER = "large-vocabulary"
LARGE = "large vocabulary"
RATIO = "min(1, p[i, x] / q[i, x])"
LEFT = "residual(p[i], q[i])"
BONUS = "p[-1]"
ROWS = "tokens, q = proposal.tokens, proposal.drawn_from"
FAINT, NOTHING = 1e-6, 1e-30


@dataclass(frozen=True)
class Fault:
    """One line of reference/verify/chain.py, `old`, written as `new`."""

    name: str
    old: str
    new: str
    kind: str = LARGE
    reports: tuple[str, ...] = ()
    tier: str = TIER

    @cached_property
    def verify(self) -> Verify:
        module = rewritten("verify.chain", self.old, self.new)
        module.__dict__.update({made.__name__: made for made in HELPERS})
        verify: Verify = module.verify
        return verify


def likeliest(q: Array, n: int = 50) -> Array:
    """The rows' n likeliest words, renormalised, and next to nothing of the others."""
    least = np.partition(q, -n)[:, [-n]] if n < q.shape[1] else 0
    kept = np.where(q >= least, q, NOTHING)
    return np.asarray(kept / kept.sum(-1, keepdims=True))


def halves(row: Array) -> Array:
    """What an inverse CDF draws from whose running sums are 16-bit floats."""
    run = np.cumsum(row.astype(np.float16), dtype=np.float16)
    return np.diff(run.astype(float), prepend=0)


def fallen(row: Array) -> Array:
    """Faint words dropped, and the last id drawn where the coin falls off the end."""
    kept = np.where(row < FAINT, 0, row)
    kept[-1] += row.sum() - kept.sum()
    return kept


HELPERS: tuple[Callable[..., Any], ...] = likeliest, halves, fallen
FAULTS = [
    Fault("padding-leak", LEFT, f"{LEFT} + 1e-7"),
    Fault("flat-epsilon", ROWS, f"{ROWS} + 1e-4"),
    Fault("flat-epsilon-in-ratio", RATIO, "min(1, p[i, x] / (q[i, x] + 1e-4))"),
    Fault("sixteen-bit-running-sum", BONUS, f"halves({BONUS})"),
    Fault("draft-taken-for-cut", ROWS, f"{ROWS}; q = likeliest(q)"),
    Fault("last-id-fallback", LEFT, f"fallen({LEFT})"),
]


def spec(name: str) -> str:
    """The engine of that fault, as `check` takes it."""
    return f"{__name__}:{name}"


def __getattr__(name: str) -> Any:
    for fault in FAULTS:
        if fault.name == name:
            return planted.engine(fault.verify, tree=False)
    raise AttributeError(f"no planted verifier {name!r}")
