"""Pairings that keep no law are refused; run anyway, they are seen to keep none."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reference.decode import decode
from reference.draft.draft_model import DraftModel
from reference.draft.prompt_lookup import PromptLookup
from reference.model.table import Table, table
from reference.proposal import Proposal
from reference.randomness import Shifted, Source, law
from specsim.drafters import DRAFTERS, unsound
from specsim.errors import Bad
from specsim.generation.scene import pair
from specsim.oracle.exact import completed
from specsim.rules import RULES

F = Fraction
WORDS, PROMPT, LENGTH = 3, (0, 1, 0), 3
TARGET, DRAFT = table(3, WORDS), table(30, WORDS)
UNSOUND = [
    (drafter.name, rule.name)
    for drafter in DRAFTERS.values()
    for rule in RULES.values()
    if unsound(drafter, rule)
]


@pytest.mark.parametrize("names", UNSOUND, ids="-".join)
def test_an_unsound_pairing_is_refused_with_rules_that_fit(
    names: tuple[str, str],
) -> None:
    drafter, rule = names
    with pytest.raises(Bad) as refused:
        pair(drafter, rule)
    said = str(refused.value)
    assert drafter in said
    assert rule in said
    for fit in said.partition(f"rules for {drafter}: ")[2].split(", "):
        assert not unsound(DRAFTERS[drafter], RULES[fit])


def drawn(branching: tuple[int, ...], kind: Any) -> Any:
    return DraftModel(Table(DRAFT), branching, kind)


class Declared:
    """A fixed draft, said to be drawn from rows that it was not drawn from."""

    def __init__(self, drafter: Any, row: Callable[[tuple[int, ...]], Any]):
        self.drafter, self.row = drafter, row
        self.begin, self.observe = drafter.begin, drafter.observe

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        made = self.drafter.propose(context, k, source)
        above = [made.path(parent) for parent in made.parents]
        q = [self.row((*context, *path)) for path in above]
        return Proposal(made.tokens, made.parents, np.array(q), "iid")


def likeliest() -> Any:
    return Declared(drawn((1, 1), "fixed"), DRAFT)


def looked_up() -> Any:
    thirds = np.array([F(1, WORDS)] * WORDS, dtype=object)
    return Declared(PromptLookup(), lambda text: thirds)


ANYWAY: dict[str, tuple[Callable[[], Any], str]] = {
    "eagle's tree as independent draws": (
        lambda: drawn((2,), "without_replacement"), "k_seq"),
    "eagle's tree as a chain": (
        lambda: drawn((2,), "without_replacement"), "chain"),
    "eagle's tree, by importance weights": (
        lambda: drawn((2,), "without_replacement"), "importance_weighted"),
    "likeliest tokens as drawn": (likeliest, "chain"),
    "likeliest tokens as drawn, by blocks": (likeliest, "block"),
    "tokens looked up as drawn at will": (looked_up, "chain"),
}  # fmt: skip


@pytest.mark.distribution
@pytest.mark.parametrize("name", ANYWAY)
def test_run_anyway_it_is_biased(name: str) -> None:
    make, rule = ANYWAY[name]

    def run(source: Source) -> tuple[int, ...]:
        steps = decode(
            Table(TARGET),
            make(),
            RULES[rule].verify,
            PROMPT,
            k=2,
            luck=lambda number, position: Shifted(source, 16 * number),
            max_tokens=LENGTH,
        )
        return tuple(token for step in steps for token in step.emitted)

    want = completed({(): F(1)}, lambda s: TARGET((*PROMPT, *s)), LENGTH)
    got = law(run)
    differences = (abs(got.get(x, F(0)) - want.get(x, F(0))) for x in {*got, *want})
    assert sum(differences) / 2 > F(1, 100)
