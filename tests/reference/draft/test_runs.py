"""Whole runs in a world of two words: every drafter keeps the target's law, exactly."""

import pytest

from reference.randomness import keyed
from specsim.drafters import DRAFTERS, Drafter, unsound
from specsim.oracle.loops.whole import run, text, the_text_has_the_targets_law
from specsim.rules import RULES, Rule

SOUND = [
    (drafter, rule)
    for drafter in DRAFTERS.values()
    for rule in RULES.values()
    if not unsound(drafter, rule) and not rule.lossy
]


@pytest.mark.distribution
@pytest.mark.parametrize("pair", SOUND, ids=[f"{d.name}-{r.name}" for d, r in SOUND])
def test_the_text_has_the_targets_law(pair: tuple[Drafter, Rule]) -> None:
    the_text_has_the_targets_law(*pair)


@pytest.mark.distribution
@pytest.mark.parametrize("drafter", DRAFTERS.values(), ids=list(DRAFTERS))
def test_something_is_drafted_and_kept(drafter: Drafter) -> None:
    """A drafter that proposes nothing would keep every law."""
    rule = next(rule for d, rule in SOUND if d is drafter and not rule.greedy)
    steps = [*run(drafter, rule, keyed(1), 60)]
    assert sum(len(step.proposal.tokens) for step in steps) > 10
    assert sum(step.accepted for step in steps) > 3
    assert {step.proposal.kind for step in steps} == {drafter.kind}


def test_drafters_are_built_afresh() -> None:
    """A run is a function of its Source: no state outlives it."""
    for drafter in DRAFTERS.values():
        rule = next(rule for d, rule in SOUND if d is drafter and not rule.greedy)
        first, again = (text(run(drafter, rule, keyed(5), 30)) for _ in range(2))
        assert first == again
