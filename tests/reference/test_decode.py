"""The loop keeps the target's law, whatever is proposed and wherever it stops."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from reference.decode import Step, accepted, decode
from reference.model.table import Table, argmax, table
from reference.probs import Probs
from reference.proposal import Kind, Proposal, Rows, draft
from reference.randomness import Shifted, Source, keyed, law
from specsim.oracle.exact import completed
from specsim.rules import RULES, Rule

STRIDE = 16
"""More coins of one purpose than any step here asks for."""


class FromTable:
    """Drafts from a table; `width` children at the first depth, then chains."""

    def __init__(self, rows: Rows, kind: Kind = "iid", width: int = 1):
        self.rows, self.kind, self.width = rows, kind, width
        self.seen: list[list[int]] = []

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        assert len(hidden) == len(context) + 1

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        def after(path: tuple[int, ...]) -> Probs:
            return self.rows((*context, *path))

        branching = (self.width, *[1] * (k - 1)) if k else ()
        return draft(after, branching, source, self.kind)

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        assert len(rows) == len(hidden)
        self.seen.append(emitted)


def text(steps: Sequence[Step]) -> tuple[int, ...]:
    return tuple(token for step in steps for token in step.emitted)


@pytest.mark.distribution
def test_the_text_of_several_steps_has_the_targets_law(rule: Rule) -> None:
    rows, drafter = table(3, 2), table(30, 2)
    target = argmax(rows) if rule.greedy else rows

    def run(source: Source) -> tuple[int, ...]:
        width = 2 if rule.tree else 1
        steps = decode(
            Table(rows),
            FromTable(drafter, rule.accepts[0], width),
            rule.verify,
            [1, 0],
            k=2,
            luck=lambda number, position: Shifted(source, number * STRIDE),
            max_tokens=3,
        )
        return text(list(steps))

    want = completed({(): Fraction(1)}, lambda s: target((1, 0, *s)), 3)
    assert law(run) == want or rule.lossy


def generate(rule: Rule, seed: int, drafter: FromTable, **how: object) -> list[Step]:
    def luck(number: int, position: int) -> Source:
        if rule.losslessness == "pathwise":
            return Shifted(keyed(seed), position)
        return keyed(seed, step=number)

    settings: dict[str, object] = {"k": 3, "max_tokens": 20, **how}
    steps = decode(
        Table(table(5, 3)),
        drafter,
        rule.verify,
        [0],
        luck=luck,
        **settings,  # type: ignore[arg-type]
    )
    return list(steps)


def test_pathwise_rules_say_the_same_whoever_drafts_and_however_much() -> None:
    for rule in RULES.values():
        if rule.losslessness != "pathwise":
            continue
        texts = {
            text(generate(rule, 7, FromTable(table(drafter, 3), kind, width), k=k))
            for drafter in (5, 50, 51)
            for kind in ("iid", "fixed", "coupled")
            for k in (0, 1, 4)
            for width in ((1, 2, 3) if rule.tree else (1,))
        }
        assert len(texts) == 1, rule.name
        assert len(texts.pop()) == 20


def test_the_target_remembers_just_what_was_emitted_but_for_the_last(
    rule: Rule,
) -> None:
    model = Table(table(5, 3))
    context = [0, 2]
    drafter = FromTable(table(50, 3), rule.accepts[0])
    steps = decode(
        model,
        drafter,
        rule.verify,
        context.copy(),
        k=3,
        luck=lambda number, position: keyed(1, step=number),
        max_tokens=30,
    )
    for step in steps:
        context += step.emitted
        assert list(model.context) == context[: len(model.context)]
        assert step.accepted == len(step.emitted) - 1 or len(context) == 32
    assert len(context) == 32
    assert [token for block in drafter.seen for token in block][:30] == context[2:]


def test_the_text_ends_with_the_first_token_that_stops(rule: Rule) -> None:
    for seed in range(5):
        drafter = FromTable(table(50, 3), rule.accepts[0])
        said = text(generate(rule, seed, drafter, stop=frozenset({2}), max_tokens=50))
        assert 2 not in said[:-1]
        assert said[-1] == 2 or len(said) == 50


def test_a_block_is_cut_where_the_text_is_long_enough(rule: Rule) -> None:
    for most in range(6):
        drafter = FromTable(table(5, 3), rule.accepts[0])
        assert len(text(generate(rule, 1, drafter, max_tokens=most))) == most


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="empty prompt"):
        next(
            decode(
                Table(table(5, 3)),
                FromTable(table(5, 3)),
                RULES["chain"].verify,
                [],
                k=1,
                luck=lambda number, position: keyed(0),
                max_tokens=1,
            )
        )


def test_keeping_a_path_forgets_its_siblings() -> None:
    model = Table(table(9, 3))
    model.extend([1], [-1])
    model.keep([0])
    model.extend([0, 1, 2, 2], [-1, -1, 0, 1])
    model.keep([1, 3])
    fresh = Table(table(9, 3))
    fresh.extend([1, 1, 2], [-1, 0, 1])
    fresh.keep([0, 1, 2])
    tree = [0, 2], [-1, 0]
    np.testing.assert_array_equal(model.extend(*tree)[0], fresh.extend(*tree)[0])


def test_what_was_kept_below_another_copy_is_found() -> None:
    copies = Proposal([5, 5, 6, 7], [-1, -1, 1, 2], None, "fixed")
    assert accepted(copies, [5, 6, 7, 0]) == [1, 2, 3]
    assert accepted(copies, [5, 0]) == [0]
    assert accepted(copies, [5, 7, 0]) == [0]
    assert accepted(copies, [0]) == []
