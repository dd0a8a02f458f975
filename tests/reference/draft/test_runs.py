"""Whole runs in a world of two words: every drafter keeps the target's law, exactly."""

from fractions import Fraction

import pytest

from reference.decode import Step, decode
from reference.model.table import argmax
from reference.randomness import Shifted, Source, keyed, law
from specsim.drafters import DRAFTERS, Drafter, unsound
from specsim.oracle.exact import completed
from specsim.rules import RULES, Rule
from tests.reference.draft.toys import PARTS, TARGET, Remembering

STRIDE = 64
"""More coins of one purpose than any step here asks for."""
PROMPT = [1, 0, 1]

SOUND = [
    (drafter, rule)
    for drafter in DRAFTERS.values()
    for rule in RULES.values()
    if not unsound(drafter, rule) and not rule.lossy
]


def run(drafter: Drafter, rule: Rule, source: Source, tokens: int) -> list[Step]:
    made = drafter.make(*PARTS[drafter.needs]())

    return [
        *decode(
            Remembering(TARGET),
            made,
            rule.verify,
            PROMPT.copy(),
            k=3,
            luck=lambda number, position: Shifted(source, number * STRIDE),
            max_tokens=tokens,
        )
    ]


def text(steps: list[Step]) -> tuple[int, ...]:
    return tuple(token for step in steps for token in step.emitted)


@pytest.mark.distribution
@pytest.mark.parametrize("pair", SOUND, ids=[f"{d.name}-{r.name}" for d, r in SOUND])
def test_the_text_has_the_targets_law(pair: tuple[Drafter, Rule]) -> None:
    drafter, rule = pair
    rows = argmax(TARGET) if rule.greedy else TARGET
    length = 3 if rule.races and rule.tree else 4
    want = completed({(): Fraction(1)}, lambda s: rows((*PROMPT, *s)), length)
    assert law(lambda source: text(run(drafter, rule, source, length))) == want


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
