"""Whole runs in a world of two words, whose law can be enumerated."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from specsim import seam
from specsim.drafters import Drafter
from specsim.oracle.exact import completed
from specsim.oracle.loops.toys import PARTS, TARGET, Remembering
from specsim.rules import Rule
from specsim.seam import randomness, table

STRIDE = 64
"""More coins of one purpose than any step here asks for."""
PROMPT = [1, 0, 1]


def run(
    drafter: Drafter, rule: Rule, source: randomness.Source, tokens: int
) -> list[Any]:
    """The steps of one run, the drafter made anew."""
    made = drafter.make(*PARTS[drafter.needs]())

    return [
        *seam.reference("decode").decode(
            Remembering(TARGET),
            made,
            rule.verify,
            PROMPT.copy(),
            k=3,
            luck=lambda number, position: randomness.Shifted(source, number * STRIDE),
            max_tokens=tokens,
        )
    ]


def text(steps: Sequence[Any]) -> tuple[int, ...]:
    return tuple(token for step in steps for token in step.emitted)


def the_text_has_the_targets_law(drafter: Drafter, rule: Rule) -> None:
    """Exactly, over all that the coins of a few steps can say."""
    rows = table.argmax(TARGET) if rule.greedy else TARGET
    length = 3 if rule.races and rule.tree else 4
    want = completed({(): Fraction(1)}, lambda s: rows((*PROMPT, *s)), length)
    got = randomness.law(lambda source: text(run(drafter, rule, source, length)))
    assert got == want
