"""Evidence against right engines stays as small as Ville's inequality promises."""

from functools import partial

import numpy as np
import pytest

from specsim.oracle import diagnosis, exact, fixtures
from specsim.oracle.calibration import (
    HURDLES,
    Arena,
    highest,
    right,
    shares,
    unknown,
    valued,
)
from specsim.oracle.evidence import Evidence
from specsim.oracle.exact import Law
from specsim.oracle.planted import Mutant, Wiring
from specsim.oracle.sampling import suspects
from specsim.oracle.worlds import World
from specsim.rules import RULES


@pytest.mark.distribution
def test_side_by_side_is_the_same_as_one_by_one() -> None:
    worlds = fixtures.cover("verify")[:2]
    mutants = suspects(worlds, False)[:5]
    laws = {m.name: [diagnosis.law(m, world) for world in worlds] for m in mutants}
    evidence = Evidence([world.truth for world in worlds], laws)
    rng = np.random.default_rng(4)
    made, local, general = np.zeros((1, len(mutants))), [], []
    for case, world in enumerate(worlds):
        law = right(world)
        arena, blocks = Arena(world, law, mutants), [*law]
        drawn = rng.multinomial(300, arena.odds, 1).astype(float)
        times = zip(blocks, drawn[0].astype(int), strict=True)
        evidence.observe(case, [block for block, n in times for _ in range(n)])
        made += drawn @ arena.bets
        both = unknown(np.tensordot(drawn, arena.cells, 1), arena.p)
        local.append(both[0])
        general.append(both[1])
    (log10_e,) = valued(made, np.array(local), np.array(general))
    assert log10_e == pytest.approx(evidence.valued(), abs=1e-6)


@pytest.mark.distribution
def test_few_right_engines_look_wrong() -> None:
    reached = shares(highest(runs=300, blocks=1000))
    assert np.all(reached[:2] <= 1 / np.array(HURDLES[:2]))


@pytest.mark.distribution
def test_wrong_engines_do_look_wrong() -> None:
    wrong = next(m for m in fixtures.searched() if m.name == "residual-is-target")
    best = highest(runs=20, blocks=1500, law=lambda world: law_of(wrong, world))
    assert np.median(best) > 9


def law_of(bug: Mutant | Wiring, world: World) -> Law:
    return fixtures.law(bug, world) or {}


@pytest.mark.slow
@pytest.mark.distribution
def test_twenty_thousand_right_engines_keep_within_the_bound() -> None:
    for verify in (RULES["chain"].verify, RULES["block"].verify):
        law = partial(exact.emitted, verify)
        reached = shares(highest(runs=20_000, blocks=2_000, law=law))
        assert np.all(reached <= 1 / np.array(HURDLES))
