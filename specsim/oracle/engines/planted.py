"""A planted bug as an engine, so that one can see red before trusting green."""

from collections.abc import Callable
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.oracle.engines import drafters
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant, Wiring
from specsim.rules import RULES, Verify
from specsim.seam import proposal

Array = np.ndarray[Any, Any]


class Written:
    """A Source that reads coins from arrays, and lets a mutant read one twice."""

    def __init__(self, accept: Array, sample: Array):
        self._coins = {"accept": accept, "sample": sample}

    def accept(self, i: int, prob: Any) -> bool:
        return bool(self._coins["accept"][i] < prob)

    def sample(self, r: int, weights: Array) -> int:
        return self.again("sample", r, weights)

    def draft(self, i: int, weights: Array) -> int:
        raise NotImplementedError("a verifier drafts nothing")

    def race(self, d: int, weights: Array) -> int:
        raise NotImplementedError("no engine is sent races")

    def again(self, purpose: str, index: int, weights: Array) -> int:
        cdf = np.cumsum(weights)
        if not cdf[-1] > 0:
            raise ValueError(f"nothing to draw from at {(purpose, index)}")
        u = self._coins[purpose][index]
        return int(np.searchsorted(cdf, u * cdf[-1], side="right"))


def spec(name: str) -> str:
    """The engine of that mutant, as `check` takes it. Bad if it cannot be one."""
    mutant = MUTANTS.get(name)
    if mutant is None:
        return _elsewhere(name)
    if isinstance(mutant, Wiring):
        return f"{drafters.__name__}:{name}"
    if not isinstance(mutant, Mutant) or mutant.row.greedy:
        raise Bad(f"mutant {name} is no verifier that samples: try residual-is-target")
    if mutant.races:
        raise Bad(
            f"mutant {name} reads races, which no engine is sent: "
            "try residual-is-target"
        )
    if mutant.row.lossy:
        raise Bad(
            f"mutant {name} is of a lossy rule, which is wrong without it as well: "
            "try residual-is-target"
        )
    return f"{__name__}:{name}"


def _elsewhere(name: str) -> str:
    """The same of what is planted in no rule and no drafter."""
    from specsim.oracle.independence import streams
    from specsim.oracle.large import faults
    from specsim.oracle.mutants.table import table

    if any(fault.name == name for fault in faults.FAULTS):
        return faults.spec(name)
    row = next((row for row in table() if row.name == name), None)
    if row is None:
        raise Bad(f"no mutant is called {name!r}: see specsim list mutants")
    if name not in streams.STREAMS or streams.STREAMS[name].batch:
        raise Bad(
            f"mutant {name} is planted in {row.where}, which is no engine by itself: "
            "try residual-is-target"
        )
    return f"{streams.__name__}:{name}"


def engine(verify: Verify, tree: bool) -> Callable[..., Any]:
    """A reference's verify behind the contract for engines."""

    def verify_tree(
        p: Array,
        q: Array,
        tokens: Array,
        parents: Array,
        kind: proposal.Kind,
        *,
        accept: Array,
        sample: Array,
    ) -> list[int]:
        drafted = proposal.Proposal(tokens.tolist(), parents.tolist(), q, kind)
        return verify(p, drafted, Written(accept, sample))

    def verify_chain(
        p: Array, q: Array, tokens: Array, *, accept: Array, sample: Array
    ) -> list[int]:
        parents = np.arange(-1, len(tokens) - 1)
        return verify_tree(p, q, tokens, parents, "iid", accept=accept, sample=sample)

    return verify_tree if tree else verify_chain


class Tree:
    """An engine for trees only, of the kinds that its rule tells apart."""

    def __init__(self, mutant: Mutant):
        self.kinds = set(RULES[mutant.rule].kinds)
        self.verify_tree = engine(mutant.verify, tree=True)


def __getattr__(name: str) -> Any:
    mutant = MUTANTS.get(name)
    if not isinstance(mutant, Mutant):
        raise AttributeError(f"no planted verifier {name!r}")
    tree = RULES[mutant.rule].tree
    return Tree(mutant) if tree else engine(mutant.verify, tree=False)
