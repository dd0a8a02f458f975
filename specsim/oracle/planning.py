"""How many blocks a sampled run needs.

A mutant's own bets make Z = exp(sum of log bets), and E >= stake * Z. By Chernoff, with
n rounds over the cases and any s > 0, under the mutant

    P(stake * Z < 1 / a) <= (1 / (a * stake)) ** s * prod over cases of E[b ** -s] ** n

where b is what one block's bets pay: a finite sum over the mutant's exact law. The
smallest n that brings this below 1 - power is the plan; nothing is simulated.
Chernoff (1952), "A measure of asymptotic efficiency for tests of a hypothesis".
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from specsim.oracle.evidence import Array, log_bet, stakes
from specsim.oracle.exact import Law, Tokens, conditionals
from specsim.seam import proposal

EXPONENTS = np.linspace(0.02, 1, 50)

NO_SPEED = 1e-12
"""Rates up to here are rounding: the mutant cannot be told from a lossless engine."""


def pays(law: Law, target: proposal.Rows) -> dict[Tokens, float]:
    """Log of what a mutant's bets on one block pay; infinite on an impossible token."""
    bets: dict[Tokens, Array] = {}
    for prefix, f in conditionals(law).items():
        p = np.asarray(target(prefix), dtype=float)
        bets[prefix] = np.where(p > 0, log_bet(f, p), math.inf)
    return {
        block: float(sum(bets[block[:i]][token] for i, token in enumerate(block)))
        for block in law
    }


def rates(law: Law | None, target: proposal.Rows) -> Array:
    """-ln E[b ** -s] under the mutant, for s in EXPONENTS; 0 where it makes no bet."""
    if not law:
        return np.zeros_like(EXPONENTS)
    odds = np.array([float(share) for share in law.values()])
    logs = np.array(list(pays(law, target).values()))
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.exp(-EXPONENTS[:, None] * logs) @ odds))


def plan(
    targets: Sequence[proposal.Rows],
    alternatives: Mapping[str, Sequence[Law | None]],
    false_alarm: float = 1e-9,
    power: float = 0.999,
) -> dict[str, float]:
    """By mutant, blocks after which E >= 1 / false_alarm with at least that power.

    Whole rounds over the cases, one block of each. Infinite where none of the cases
    tells the mutant from a lossless engine.
    """
    hurdle = -math.log(false_alarm * stakes(len(alternatives))[0])
    needed = EXPONENTS * hurdle - math.log(1 - power)
    planned = {}
    for name, laws in alternatives.items():
        speed = sum(map(rates, laws, targets))
        with np.errstate(divide="ignore"):
            rounds = np.where(speed > NO_SPEED, needed / speed, math.inf)
        planned[name] = max(1.0, float(np.ceil(rounds.min()))) * len(targets)
    return planned


def uncovered(planned: Mapping[str, float], blocks: int) -> list[str]:
    """The mutants that a run of so many blocks was too short to find as planned.

    Where there are any, a run that found nothing is inconclusive about them.

    >>> uncovered({"a": 100, "b": 3000}, 1000)
    ['b']
    """
    return [name for name, needed in planned.items() if needed > blocks]
