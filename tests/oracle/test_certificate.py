"""Lossy rules, certified: worked numbers, closed forms, and limits that are exact."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reference.model.table import constant, row
from reference.probs import residual
from reference.proposal import Proposal, score
from reference.randomness import branches, law, replay
from specsim.oracle import certificate, exact
from specsim.oracle.certificate import certify
from specsim.oracle.exact import conditionals, emitted
from specsim.oracle.worlds import CHAINS, World, worlds
from specsim.rules import named

pytestmark = pytest.mark.distribution

F = Fraction
WORKED = World("worked", 3, constant([3, 2, 1]), constant([1, 1, 2]), (1,))
P, Q = row([3, 2, 1]), row([1, 1, 2])


def first(odds: exact.Law) -> list[Fraction]:
    """The law of the first token."""
    return [
        sum((w for block, w in odds.items() if block[0] == x), F(0)) for x in range(3)
    ]


def measured(found: certificate.Certificate) -> list[Fraction]:
    return [found.tv, found.ratio, found.beyond]


@pytest.mark.parametrize(
    ("name", "options", "out", "tv", "ratio"),
    [
        ("lenience", {}, [F(5, 14), F(13, 42), F(1, 3)], F(1, 6), 2),
        (
            "lenience",
            {"lenience": F(2, 3)},
            [F(5, 12), F(1, 3), F(1, 4)],
            F(1, 12),
            F(3, 2),
        ),
        ("typical", {"eps": 0.3}, [F(3, 4), F(1, 4), 0], F(1, 3), 2),
        ("relaxed", {}, [F(3, 4), F(1, 4), 0], F(1, 3), 2),
        ("relaxed", {"top": 1}, [1, 0, 0], F(1, 2), F(5, 2)),
        ("cascade", {}, [F(1, 4), F(1, 4), F(1, 2)], F(1, 3), 3),
        ("cascade", {"alpha": F(-1)}, [F(1, 2), F(1, 3), F(1, 6)], 0, 1),
    ],
)
def test_one_drafted_token(
    name: str, options: dict[str, Any], out: list[Fraction], tv: Fraction, ratio: Any
) -> None:
    """Out is the law of the first token; TV and ratio are those of it and the next,
    which typical and relaxed acceptance do not draw either.
    """
    found = certify(named(name).verify, WORKED, **options)
    assert first(found.law) == out
    assert measured(found) == [tv, ratio, 0]


@pytest.mark.parametrize(
    ("options", "out"),
    [
        ({"single": F(1), "acc": F(1)}, [F(1, 2), F(1, 3), F(1, 6)]),
        ({"single": F(1), "acc": F(3, 4)}, [F(1, 3), F(4, 9), F(2, 9)]),
        ({"single": F(1, 3), "acc": F(1)}, [F(0), F(5, 6), F(1, 6)]),
    ],
)
def test_thresholds_on_two_children(
    options: dict[str, Any], out: list[Fraction]
) -> None:
    p, drafted = np.array([P] * 3), Proposal([2, 1], [-1, -1], None, "fixed")
    verify: Any = named("thresholds").verify
    found = law(lambda source: tuple(verify(p, drafted, source, **options)))
    assert first(found) == out


@pytest.mark.parametrize(
    ("name", "options", "limit"),
    [
        ("lenience", {"lenience": 1}, "chain"),
        ("thresholds", {"single": 1, "acc": 1}, "target_only"),
        ("typical", {"eps": 1.0, "delta": 9.0}, None),
        ("deferral", {"gate": 9.0}, "chain"),
        ("deferral", {"window": 9}, "chain"),
        ("cascade", {"alpha": -9}, "chain"),
    ],
)
def test_what_a_lossy_rule_is_at_its_limit(
    name: str, options: dict[str, Any], limit: str | None
) -> None:
    """Blocks and all; typical acceptance that finds nothing typical drafts in vain."""
    for where in worlds(named(name)):
        found = emitted(lambda *given: named(name).verify(*given, **options), where)
        if limit:
            assert found == emitted(named(limit).verify, where), where
        else:
            assert found == {(int(np.argmax(where.target(()))),): 1}, where


def test_top_one_is_exact_match_but_for_ties() -> None:
    for where in worlds(named("relaxed")):
        if where.name in ("two-tokens", "three-tokens", "certain-target"):
            verify: Any = named("relaxed").verify
            found = emitted(lambda *given, v=verify: v(*given, top=1), where)
            assert found == emitted(named("greedy").verify, where), where


def test_lenience_favours_no_token_by_more_than_its_inverse() -> None:
    for where in worlds(named("lenience")):
        for prefix, seen in conditionals(
            emitted(named("lenience").verify, where)
        ).items():
            p = where.target(prefix)
            assert all(odds <= 2 * p[x] for x, odds in seen.items()), where


def test_a_cascade_keeps_the_law_of_its_mixture() -> None:
    for where in worlds(named("cascade")):
        for prefix, seen in conditionals(
            emitted(named("cascade").verify, where)
        ).items():
            p, q = where.target(prefix), where.drafter(prefix)
            sure = max(q) >= max(p) - residual(p, q).sum() / 2
            want = q if sure and len(prefix) < len(where.branching) else p
            assert all(seen.get(x, 0) == want[x] for x in range(where.vocab)), where


def test_the_law_of_a_deferred_first_token() -> None:
    """It is p + w - (sum w) r, where w = (q - p)+ a and r = norm((p - q)+)."""
    rows = constant([3, 2, 1], [1, 3, 1]), constant([1, 1, 2], [2, 2, 1])
    where = World("turning", 3, *rows, (1, 1))
    after = np.minimum(row([1, 3, 1]), row([2, 2, 1])).sum()
    waived = residual(Q, P) * after
    left = residual(P, Q) / residual(P, Q).sum()
    found = first(emitted(named("deferral").verify, where))
    assert found == [*(P + waived - waived.sum() * left)]


def test_a_rule_that_is_exact_has_an_empty_certificate() -> None:
    for shape in CHAINS:
        where = World("worked", 3, WORKED.target, WORKED.drafter, shape)
        found = certify(named("block").verify, where)
        assert measured(found) == [0, 1, 0]


def test_blocks_that_the_target_forbids_are_counted_apart() -> None:
    where = World("sure", 2, constant([1, 0]), constant([0, 1]), (1,))
    found = certify(named("cascade").verify, where)
    assert measured(found) == [1, 0, 1]
    said = certificate.worst([certify(named("cascade").verify, WORKED), found])
    assert str(said).endswith("1 on forbidden blocks in sure/iid/1")
    assert said.as_dict()["ratio"] == {"ratio": "3", "world": "worked/iid/1"}


@pytest.mark.parametrize("name", ["typical", "relaxed"])
def test_floats_decide_alike_on_fractions_and_on_floats(name: str) -> None:
    """There is no coin: one draft, one block, whatever the arithmetic of the rows."""
    verify = named(name).verify
    for where in worlds(named(name)):
        for drafted, _ in branches(where.draft):
            p = score(where.target, drafted)
            blocks = [verify(rows, drafted, replay([], [])) for rows in (p, p * 1.0)]
            assert blocks[0] == blocks[1], where
