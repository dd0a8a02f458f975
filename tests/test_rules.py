import inspect
import re
from fractions import Fraction
from pathlib import Path

from specsim.rules import RULES, Rule

HERE = Path(__file__).parent.parent


def stems(folder: str) -> set[str]:
    return {f.stem for f in (HERE / folder).glob("*.py")} - {"__init__"}


def test_every_reference_file_has_a_row_and_every_row_a_file() -> None:
    assert stems("reference/verify") == set(RULES)


def test_every_rule_that_should_has_a_twin() -> None:
    assert stems("gpu/verify") == {r.name for r in RULES.values() if r.has_twin}


def test_every_rule_says_where_it_comes_from(rule: Rule) -> None:
    source = inspect.getmodule(rule.verify)
    text = str(source and source.__doc__)
    assert "https://arxiv.org/abs/" in text
    assert re.search(r"Algorithm \d|section \d", text)
    assert "Coins:" in str(rule.verify.__doc__)


def test_lossy_rules_and_no_others_record_a_bias(rule: Rule) -> None:
    assert rule.lossy == bool(Fraction(rule.bias))
