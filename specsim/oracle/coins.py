"""Does an engine make of the same named coins the same tokens as a rule of ours?"""

import time
from typing import Any

from specsim.errors import Bad
from specsim.oracle import cases, vectors
from specsim.oracle.engines.host import Host
from specsim.oracle.report import Tier
from specsim.rules import Rule


def operation(rule: Rule) -> str:
    return "verify_tree" if rule.tree else "verify"


def comparable(offer: dict[str, Any], rule: Rule) -> None:
    """Bad unless the engine takes named coins in the operation that the rule is, and
    the rule asks for no others.
    """
    if rule.races:
        raise Bad(
            f"rule {rule.name} reads races, which no engine is sent: choose another"
        )
    if "coins" not in offer["operations"].get(operation(rule), []):
        raise Bad(
            f"--rule {rule.name} compares coin by coin: write "
            f"{operation(rule)}(p, q, tokens, ..., *, accept, sample)"
        )


def compare(engine: Host, rule: Rule) -> Tier:
    """Replay the rule's golden vectors, as far as the contract lets them be asked."""
    start, wrong, asked = time.monotonic(), [], 0
    for vector in vectors.load(rule.name):
        if not vector.tokens or vector.q is None or vector.refusal:
            continue
        call = cases.asked(vector.p, vector.proposal, operation(rule))
        accept, sample = ([*map(float, u)] for u in (vector.accept, vector.sample))
        if (got := engine.once(call, accept, sample)) is None:
            continue
        asked += 1
        if not vectors.legal(vector, got if isinstance(got, tuple) else None):
            wrong.append(f"vector {vector.id} gave {got}")
    detail = f"{asked - len(wrong)} of {asked} vectors as rule {rule.name}"
    verdict = "rejected" if wrong else "exact"
    seconds = time.monotonic() - start
    name = f"{operation(rule)}/coins/vectors"
    return Tier(name, verdict, "; ".join([detail, *wrong[:1]]), seconds, asked)
