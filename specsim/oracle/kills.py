"""What tells each planted bug of a verifier from the rule it was planted in."""

from dataclasses import dataclass
from fractions import Fraction

from specsim.oracle import diagnosis, exact, vectors
from specsim.oracle.planted import CoinFault, Mutant, Wiring
from specsim.oracle.worlds import World, worlds
from specsim.rules import RULES, Rule, Verify
from specsim.seam import randomness


@dataclass(frozen=True)
class Killed:
    """One mutant and what killed it: its law, its refusal, an edge; None: alive."""

    mutant: Mutant | CoinFault | Wiring
    tier: str | None
    by: str


def kill(mutant: Mutant | CoinFault | Wiring) -> Killed:
    """The first world, or vector, that tells the mutant from its reference.

    A law that differs is preferred to a world in which it asks the impossible. What a
    mutant of a lossy rule has to differ from is the rule's own law.
    """
    rule = RULES[mutant.rule]
    try:
        planted = mutant.verify if isinstance(mutant, Mutant) else rule.verify
    except ValueError as gone:
        return Killed(mutant, None, str(gone))
    if isinstance(mutant, CoinFault):
        return Killed(mutant, *_by_vectors(mutant, rule))
    dead = Killed(mutant, None, "alive")
    for world in worlds(rule):
        where = mutant.wire(world) if isinstance(mutant, Wiring) else world
        try:
            bias = _gap(planted, where, rule, diagnosis.reading(mutant))
        except (randomness.Refused, ZeroDivisionError) as refusal:
            dead = (
                dead if dead.tier else Killed(mutant, "refusal", f"{world}: {refusal}")
            )
            continue
        if bias:
            return Killed(mutant, "law", f"{world}: TV {bias}")
    return dead


def _gap(verify: Verify, world: World, rule: Rule, reading: exact.Reading) -> Fraction:
    """Total variation from the law to keep: the target's, or a lossy rule's own."""
    if not rule.lossy:
        return exact.bias(verify, world, rule.losslessness, reading)
    own = exact.emitted(rule.verify, world)
    return exact.distance(exact.emitted(verify, world, reading), own)


def _by_vectors(fault: CoinFault, rule: Rule) -> tuple[str | None, str]:
    for vector in vectors.load(rule.name):
        block = vectors.replay(vector, rule.verify, coins=fault.replay)
        if not vectors.legal(vector, block):
            return f"{vector.class_} vector", vector.id
    return None, "alive"
