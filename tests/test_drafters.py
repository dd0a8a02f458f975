"""The table of drafters: rows that hold, pairings that are sound, costs for each."""

import re
from pathlib import Path

import pytest

from specsim import drafters, seam
from specsim.drafters import DRAFTERS, Drafter
from specsim.errors import Bad
from specsim.roofline.speculation import DRAFTER_COSTS
from specsim.rules import RULES

ROWS = pytest.mark.parametrize("row", DRAFTERS.values(), ids=list(DRAFTERS))


@ROWS
def test_every_drafter_is_a_file_that_names_its_source(row: Drafter) -> None:
    module = seam.reference(f"draft.{row.name.replace('-', '_')}")
    assert re.search(r"https://\S+", module.__doc__ or "")
    assert re.search(r"\(\d{4}\)", module.__doc__ or "")
    assert row.make.__module__ == module.__name__
    assert row.make.__doc__


def test_every_file_is_a_row_or_shared_by_rows() -> None:
    folder = Path(seam.reference("draft").__file__ or "").parent
    shared = {"__init__", "features", "growing", "lengths", "lookup"}
    stems = {file.stem for file in folder.glob("*.py")} - shared
    assert stems == {name.replace("-", "_") for name in DRAFTERS}


@ROWS
def test_every_drafter_can_be_priced(row: Drafter) -> None:
    assert row.name in DRAFTER_COSTS


@ROWS
def test_some_lossless_rule_verifies_it(row: Drafter) -> None:
    fit = [rule for rule in RULES.values() if not drafters.unsound(row, rule)]
    assert any(not rule.lossy and not rule.greedy for rule in fit)


@pytest.mark.parametrize(
    ("name", "by", "told"),
    [
        ("prompt-lookup", "chain", "fixed drafts, which prompt-lookup makes; it acc"),
        ("medusa", "one_hot", "one_hot verifies no trees, and medusa proposes them"),
        ("eagle", "block", "rules for eagle: greedy"),
    ],
)
def test_unsound_pairings_are_refused_with_the_reason(
    name: str, by: str, told: str
) -> None:
    with pytest.raises(Bad, match=re.escape(told)) as caught:
        drafters.paired(DRAFTERS[name], RULES[by])
    assert "\n" not in str(caught.value)


def test_unknown_names_are_refused_with_those_there_are() -> None:
    with pytest.raises(Bad, match="choose from draft-model, ngram"):
        drafters.named("eagle9")
    assert drafters.named("mtp") is DRAFTERS["mtp"]
