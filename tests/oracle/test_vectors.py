"""Golden vectors: right, reproducible, and failed by every bug that a replay shows."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle import twins, vectors
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import CoinFault, Mutant
from specsim.oracle.vectors import checks, derive, make, schema, targeted
from specsim.oracle.vectors.vector import CLASSES, Pair, shipped
from specsim.rules import RULES, Rule

pytestmark = pytest.mark.vectors

LAW_ALONE = {"ties-in-another-order"}
"""Faults whose law is wrong, but that none of hundreds of drawn vectors shows."""
SHOWN = [
    fault
    for fault in MUTANTS.values()
    if isinstance(fault, Mutant | CoinFault) and fault.name not in LAW_ALONE
]
FINE = {"precision", "edge of an interval", "block algebra"}
"""Kinds of fault that 8-bit rows and coarse coins need not show."""
TOO_FINE = {
    "coarse-uniform",
    "epsilon-in-ratio",
    "large-epsilon-in-ratio",
    "residual-clamped",
}
"""Faults that move a threshold by less than the coins of dyadic vectors keep off it."""


def failed(fault: Mutant | CoinFault) -> set[str]:
    """The classes with a vector that the fault gets wrong; a crash is wrong as well."""
    if isinstance(fault, CoinFault):
        return {v.class_ for v in vectors.load() if checks.shows(v, fault.replay)}
    every = vectors.load(fault.rule)
    return {vector.class_ for vector in every if targeted.shows(vector, fault)}


def test_lint_is_clean() -> None:
    assert vectors.lint() == []


def test_the_files_are_what_the_table_of_rules_makes(rule: Rule) -> None:
    assert make.text(rule.name, make.made(rule)) == (
        shipped() / f"{rule.name}.json"
    ).read_text("utf-8")


def test_export_writes_the_shipped_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "RULES", {"greedy": RULES["greedy"]})
    written = vectors.export(tmp_path / "new")
    assert [path.name for path in written] == ["greedy.json", "schema.json"]
    for path in written:
        assert path.read_bytes() == (shipped() / path.name).read_bytes()


def test_the_reference_gives_every_block_exactly_and_in_floats(rule: Rule) -> None:
    for vector in vectors.load(rule.name):
        assert vectors.legal(vector, vectors.replay(vector, rule.verify)), vector.id
        if not vector.refusal:
            block = vectors.replay(vector, rule.verify, float)
            assert vectors.legal(vector, block), vector.id


@pytest.mark.torch
def test_the_twin_gives_every_block_in_every_format_that_holds_it(rule: Rule) -> None:
    pytest.importorskip("torch")
    assert twins.disagreements(rule) == []


@pytest.mark.torch
def test_a_request_does_not_see_its_neighbours(rule: Rule) -> None:
    pytest.importorskip("torch")
    every = [v for v in vectors.load(rule.name) if v.vocab == 3 and v.draft][:20]
    together = twins.emitted(rule, every)
    assert together == [twins.emitted(rule, [vector])[0] for vector in every]
    assert together == twins.emitted(rule, every[::-1])[::-1]


@pytest.mark.torch
def test_a_wrong_twin_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    other = RULES["one_hot"].twin
    monkeypatch.setattr(Rule, "twin", property(lambda rule: other))
    assert twins.disagreements(RULES["chain"])


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.name)
def test_every_planted_bug_fails_a_vector(fault: Mutant | CoinFault) -> None:
    assert failed(fault)


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.name)
def test_each_class_shows_what_it_is_for(fault: Mutant | CoinFault) -> None:
    shown = failed(fault)
    if fault.kind in FINE - {"block algebra"} or fault.name in TOO_FINE:
        assert "edge" in shown
    elif fault.kind == "block algebra" or RULES[fault.rule].lossy:
        assert "margin" in shown
    else:
        assert {"dyadic", "margin", "edge"} & shown


def test_loading_by_rule_and_by_kind() -> None:
    some = vectors.load("recursive", "without_replacement")
    assert some
    assert {(v.rule, v.kind) for v in some} == {("recursive", "without_replacement")}
    with pytest.raises(Bad, match="chian"):
        vectors.load("chian")


def test_a_vector_is_given_as_arrays_of_fractions() -> None:
    vector = next(v for v in vectors.load("chain") if len(v.tokens) == 2)
    assert vector.q is not None
    assert vector.p.shape == (3, vector.vocab)
    assert vector.q.shape == (2, vector.vocab)
    assert [sum(row) for row in vector.p] == [1, 1, 1]
    assert isinstance(vector.p[0, 0], Fraction)
    assert vector.given(float)[0].dtype == np.float64


def test_legal_knows_one_block_several_and_an_error() -> None:
    forced, open_ = (
        next(v for v in vectors.load("chain") if v.refusal == refusal)
        for refusal in (False, True)
    )
    assert forced.block is not None
    assert vectors.legal(forced, [*forced.block])
    assert not vectors.legal(forced, [*forced.block, 0])
    assert not vectors.legal(forced, None)
    assert open_.block is None
    assert all(vectors.legal(open_, block) for block in open_.blocks)
    assert vectors.legal(open_, None)
    assert not vectors.legal(open_, [open_.vocab])


def test_an_id_depends_on_the_question_alone() -> None:
    vector = vectors.load("block")[0]
    assert replace(vector, blocks=((9,),), flags=("x",), margin=Fraction(0)).id == (
        vector.id
    )
    assert replace(vector, sample=(*vector.sample, Fraction(0))).id != vector.id


@pytest.mark.parametrize(
    "change",
    [
        {"class_": "dyadic", "blocks": ((0, 0, 0),)},
        {"class_": "margin", "margin": Fraction(1, 3)},
        {"class_": "edge", "blocks": ((1, 1),)},
        {"class_": "edge", "refusal": True},
        {"class_": "dyadic", "accept": ()},
        {"class_": "dyadic", "kind": "hub"},
    ],
    ids=str,
)
def test_lint_sees_what_was_tampered_with(change: dict[str, Any]) -> None:
    every = vectors.load("chain")
    vector = next(v for v in every if v.class_ == change["class_"] and v.tokens)
    assert checks.wrong([vector]) == []
    assert checks.wrong([replace(vector, **change)])


def test_lint_sees_duplicates_gaps_and_broken_pairs() -> None:
    every = vectors.load("chain")
    one = next(v for v in every if v.pair)
    assert checks.alone([*every, every[0]])
    assert checks.alone([one])
    assert one.pair
    lost = Pair(one.pair.relation, one.pair.of, one.pair.image[::-1])
    assert checks.alone([v if v is not one else replace(v, pair=lost) for v in every])
    assert set(checks.uncovered([v for v in every if v.class_ != "edge"])) > {
        "chain: no edge vector"
    }
    assert checks.blind([v for v in every if v.class_ != "edge"])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("vectors", 0, "kind"), "guess"),
        (("vectors", 0, "accept"), [0.5]),
        (("vectors", 0, "sample"), ["1/0"]),
        (("vectors", 0, "tokens"), [-1]),
        (("vectors", 0, "acceptable"), [[0], [1]]),
        (("vectors", 0, "block"), []),
        (("vectors", 0, "colour"), "red"),
        (("notes", "Padded", "links"), ["a page"]),
        (("count",), "many"),
        (("format",), 2),
    ],
)
def test_the_schema_refuses(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads((shipped() / "chain.json").read_text("utf-8"))
    wanted = json.loads((shipped() / "schema.json").read_text("utf-8"))
    assert not list(schema.violations(document, wanted, wanted))
    *above, last = path
    place = document
    for step in above:
        place = place[step]
    place[last] = value
    assert list(schema.violations(document, wanted, wanted))


def test_branches_and_replay_agree_on_small_dyadic_vectors(rule: Rule) -> None:
    small = [v for v in vectors.load(rule.name) if len(v.tokens) < 3 and v.vocab < 5]
    asked = [v for v in small if v.class_ == "dyadic"]
    assert asked
    for vector in asked:
        assert derive.by_branches(vector) == [vector.block]


def test_every_class_is_known() -> None:
    assert {vector.class_ for vector in vectors.load()} == set(CLASSES)
