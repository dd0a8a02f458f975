"""What an inner stage says has the middle model's law, and is a draft like others."""

from fractions import Fraction

import pytest

from reference import staged
from reference.model.table import constant, table
from reference.proposal import Proposal, Rows
from reference.proposal import draft as chain_of
from reference.randomness import Refused, Source, branches, keyed, law
from specsim.oracle import exact
from specsim.oracle.planted import Wired
from specsim.oracle.worlds import World
from specsim.rules import RULES, Rule

F = Fraction
OUTER = [
    rule
    for rule in RULES.values()
    if rule.losslessness == "marginal" and "iid" in rule.accepts
]
INNER = ["chain", "block", "sampler_match", "one_hot", "recursive"]
TARGET, MIDDLE, SMALL = table(1, 2), table(12, 2), table(23, 2)

inner = pytest.mark.parametrize("inner", INNER)


def drafts(rows: Rows, *branching: int) -> staged.Propose:
    return lambda said, source: chain_of(staged.after(rows, said), branching, source)


def stage(rule: str, k: int, middle: Rows = MIDDLE, width: int = 1) -> World:
    """A world whose drafter is the middle model, served by the small one."""

    def propose(world: World, source: Source) -> Proposal:
        verify = RULES[rule].verify
        return staged.draft(
            world.drafter, drafts(SMALL, *[1] * width), verify, k, source
        )

    world = World("staged", 2, TARGET, middle, (1,) * k)
    return Wired(**vars(world), propose=propose)


@inner
def test_tokens_have_the_middle_models_law_and_its_rows(inner: str) -> None:
    for width in (0, 1, 2):
        said: dict[tuple[int, ...], Fraction] = {}
        for made, odds in branches(stage(inner, 2, width=width).draft):
            tokens = tuple(made.tokens)
            said[tokens] = said.get(tokens, F(0)) + odds
            assert made.parents == [-1, 0]
            for i, row in enumerate(made.drawn_from):
                assert (row == MIDDLE(tokens[:i])).all()
        assert said == exact.completed({(): F(1)}, MIDDLE, 2)


@pytest.mark.distribution
@inner
@pytest.mark.parametrize("outer", OUTER, ids=lambda rule: rule.name)
def test_the_outer_rule_keeps_the_targets_law(inner: str, outer: Rule) -> None:
    for k in (1, 2):
        assert not exact.bias(outer.verify, stage(inner, k))


@pytest.mark.distribution
def test_stages_may_be_staged() -> None:
    tiny = table(34, 2)

    def propose(said: tuple[int, ...], source: Source) -> Proposal:
        small = staged.after(SMALL, said)
        block = RULES["block"].verify
        return staged.draft(small, drafts(tiny, 1), block, 1, source, stride=8)

    def whole(world: World, source: Source) -> Proposal:
        return staged.draft(MIDDLE, propose, RULES["chain"].verify, 2, source)

    world = World("staged", 2, TARGET, MIDDLE, (1, 1))
    assert not exact.bias(RULES["chain"].verify, Wired(**vars(world), propose=whole))


def test_acceptance_of_each_stage() -> None:
    def accepted(target: Rows, drafter: Rows) -> Fraction:
        emitted = exact.emitted(
            RULES["chain"].verify, World("worked", 2, target, drafter, (1,))
        )
        return sum((w for block, w in emitted.items() if len(block) > 1), F(0))

    target, middle, small = constant([1, 1]), constant([2, 1]), constant([1, 3])
    assert accepted(middle, small) == F(7, 12)
    assert accepted(target, middle) == F(5, 6)
    assert accepted(target, small) == F(3, 4)


@pytest.mark.distribution
def test_models_that_take_turns_by_position() -> None:
    rows = staged.by_position(MIDDLE, SMALL)
    for prefix, model in [((), MIDDLE), ((1,), SMALL), ((1, 0), SMALL)]:
        assert (rows(prefix) == model(prefix)).all()
    for rule in OUTER:
        world = World("cascade", 2, TARGET, rows, (1, 1))
        assert not exact.bias(rule.verify, world), rule.name


def test_no_token_is_no_draft() -> None:
    made = stage("chain", 0).draft(keyed(1))
    assert made.tokens == made.parents == []
    assert made.drawn_from.shape == (0, 2)


def test_steps_that_would_share_a_coin_are_refused() -> None:
    def run(source: Source) -> tuple[int, ...]:
        verify = RULES["chain"].verify
        made = staged.draft(MIDDLE, drafts(SMALL, 1), verify, 3, source, stride=1)
        return tuple(made.tokens)

    with pytest.raises(Refused, match="tossed before"):
        law(run)
