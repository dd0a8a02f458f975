"""Drafters: right ones pass, those that do not draw from their q are found out."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle import judge
from specsim.oracle.drafting import cases, host, known, law
from specsim.oracle.drafting.contract import Asked, Drafted, drafted
from specsim.oracle.drafting.evidence import DraftEvidence
from specsim.oracle.engines import drafters, planted
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Wiring
from specsim.oracle.report import Report

HERE = "tests.oracle.drafters"
WIRINGS = [name for name, mutant in MUTANTS.items() if isinstance(mutant, Wiring)]

RIGHT = {
    "Drafter": "exact",
    "Coins": "exact",
    "TopOnly": "exact_within",
    "Greedy": "exact",
    "StopsEarly": "exact",
    "Tempered": "exact_within",
    "OwnLuck": "not_rejected",
    "Siblings": "exact_within",
    "IidSiblings": "exact",
    "ours_chain": "exact",
    "ours_tree": "exact_within",
    "ours_iid": "exact",
    "ours_hub": "exact_within",
    "ours_lookup": "exact",
    "ours_suffix": "exact",
    "ours_ngram": "exact",
}
"""Drafters that declare what they do, and the strongest thing to be said of each."""

WRONG = {
    "Argmax": "law",
    "TopDrawn": "law",
    "Cold": "law",
    "Bfloat": "law",
    "Neighbours": "law",
    "SaysFixed": "law",
    "DropsUnlikely": "law",
    "StaleSiblings": "law",
    "Unscaled": "rows",
    "SaysIid": "rows",
    "OneArray": "kept",
    "NotTempered": "temperature",
    "OwnLuckAndWrong": "drawn",
    "SpoiledAndScaled": "drawn",
}
"""Drafters that do not, and the tier that finds them out."""

RUDE = {
    "Raises": "drafter raised RuntimeError: no rows",
    "TooDeep": "drafter returned 2 levels where k is 1",
    "NotANumber": "a q that is negative, infinite or not a number",
    "Shapeless": "drafter returned q of shape (3,), not (1, 3)",
    "OnlyTokens": "return (tokens, q) or (tokens, parents, q, kind)",
    "OutOfRange": "drafter returned token 99, not in 0..2",
    "Upwards": "drafter returned 0 as parent of node 0: not above",
}


def check(name: str) -> Report:
    return judge.check(f"{HERE}:{name}", budget="smoke")


@pytest.mark.distribution
@pytest.mark.parametrize(("name", "verdict"), RIGHT.items())
def test_drafters_that_draw_from_their_q_pass(name: str, verdict: str) -> None:
    report = check(name)
    assert report.verdict == verdict, report.text()
    assert not report.diagnosis


@pytest.mark.distribution
@pytest.mark.parametrize(("name", "tier"), WRONG.items())
def test_drafters_that_do_not_are_found_out(name: str, tier: str) -> None:
    report = check(name)
    assert report.verdict == "rejected"
    failed = [t.name for t in report.tiers if t.verdict == "rejected"]
    assert f"draft/rng/{tier}" in failed, report.text()


@pytest.mark.parametrize(("name", "told"), RUDE.items())
def test_broken_drafters_are_told_so_on_one_line(name: str, told: str) -> None:
    report = check(name)
    assert (report.verdict, report.exit_code) == ("errored", 2)
    assert told in report.trouble
    assert "\n" not in report.trouble


def test_a_drafter_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(judge.TIMEOUT, "smoke", 1.0)
    assert "hangs: no answer within 1 s" in check("Hangs").trouble


def test_a_known_fault_is_named_with_its_smallest_case() -> None:
    report = check("DropsUnlikely")
    assert [known.name for known in report.diagnosis] == ["unlikely-dropped"]
    assert report.witness
    assert report.witness.prefix == ()
    assert report.witness.q["root"]


def read(wiring: Wiring, case: cases.Case) -> law.Law:
    draft = drafters.Planted(wiring).draft
    return host.read(draft, case.asked, "rng", "symbolic", lambda: False)


@pytest.mark.distribution
@pytest.mark.parametrize("name", WIRINGS)
def test_every_planted_drafter_is_killed_and_named(name: str) -> None:
    wiring = MUTANTS[name]
    assert isinstance(wiring, Wiring)
    laws = {}
    dead = False
    for case in cases.every("smoke", depth=2):
        laws[case] = read(wiring, case)
        gaps = [gap for _, gap in law.gaps(laws[case]) if gap.size > law.ROUNDING]
        dead |= bool(gaps or [c for one in laws[case] for c in law.complaints(one)])
    assert dead
    assert name in [each.name for each in known.diagnose(laws)]


def test_a_planted_drafter_can_be_checked_by_name() -> None:
    report = judge.check(planted.spec("cold-draft"), budget="smoke")
    assert report.verdict == "rejected"
    assert [known.name for known in report.diagnosis] == ["cold-draft"]


TWO = Asked(((0.5, 0.5), (0.25, 0.75)), (1,), 2)


def chain(*tokens: int) -> Drafted:
    rows = ((0.5, 0.5), (0.25, 0.75))[: len(tokens)]
    return Drafted(tokens, (*range(-1, len(tokens) - 1),), rows, "iid")


def test_the_law_is_judged_given_what_stands_before() -> None:
    fair = {chain(x, y): (y + 1) * Fraction(1, 8) for x in (0, 1) for y in (0, 1)}
    fair = {one: w if one.tokens[1] == 0 else Fraction(3, 8) for one, w in fair.items()}
    assert law.gaps(fair) == []
    tied = {chain(x, x): Fraction(1, 2) for x in (0, 1)}
    assert {gap.prefix for _, gap in law.gaps(tied)} == {(0,), (1,)}


def test_a_length_may_hang_on_the_tokens_before_but_not_on_those_left_out() -> None:
    half, eighth = Fraction(1, 2), Fraction(1, 8)
    fair = {chain(0): half, chain(1, 0): eighth, chain(1, 1): 3 * eighth}
    assert law.gaps(fair) == []
    chosen = {chain(0): half, chain(1): eighth, chain(1, 1): 3 * eighth}
    ((_, gap), *_) = law.gaps(chosen)
    assert (gap.prefix, gap.token) == ((1,), 0)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "returned None"),
        (([0], [[1, 0]], 3), "return (tokens, q)"),
        (([0], [-1], [[1, 0]], "coupled"), "kind 'coupled': choose from"),
        (([0], [-1], None, "iid"), "q None for a draft that is iid"),
        (([0, 1], [-1], [[1, 0]] * 2, "iid"), "1 parents for 2 tokens"),
        ((["0"], [[1, 0]]), "tokens ['0'], not integers"),
        (([0], [["x", 0]]), "not rows of numbers"),
        (([0], [[-0.5, 1.5]]), "negative"),
    ],
)
def test_what_is_no_draft_is_bad(answer: Any, told: str) -> None:
    with pytest.raises(Bad) as caught:
        drafted(answer, TWO)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_draft_is_a_draft() -> None:
    assert drafted(([], np.zeros((0, 2))), TWO).tokens == ()
    assert drafted(([], None), TWO).kind == "fixed"


@pytest.mark.distribution
def test_evidence_against_right_drafts_is_small_and_grows_against_others() -> None:
    rng = np.random.default_rng(3)
    right, cold = DraftEvidence(1), DraftEvidence(1)
    rows = [
        tuple(row) for row in rng.dirichlet(np.ones(4), 400).tolist()
    ]  # no two same
    for evidence, power in ((right, 1), (cold, 2)):
        weights = [np.array(row) ** power for row in rows]
        tokens = [int(rng.choice(4, p=each / each.sum())) for each in weights]
        drawn = zip(tokens, rows, strict=True)
        made = [Drafted((token,), (-1,), (row,), "iid") for token, row in drawn]
        evidence.observe(0, made, 4)
    assert right.log10_e < 1.5
    assert cold.log10_e > 9
    cold.observe(0, [Drafted((0,), (-1,), ((0.0, 1.0, 0.0, 0.0),), "iid")], 4)
    assert math.isinf(cold.log10_e)
