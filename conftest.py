"""Fixtures. Whatever takes `rule` runs once for each row of the table.

What needs torch runs for the rules that have a twin.
"""

import hypothesis
import numpy as np
import pytest

from specsim.rules import RULES

hypothesis.settings.register_profile("pinned", derandomize=True, deadline=None)
hypothesis.settings.load_profile("pinned")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "rule" in metafunc.fixturenames:
        torch = metafunc.definition.get_closest_marker("torch")
        rules = [rule for rule in RULES.values() if rule.has_twin or not torch]
        metafunc.parametrize("rule", rules, ids=lambda rule: rule.name)


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace: dict[str, object]) -> None:
    """Doctests may say `np`."""
    doctest_namespace["np"] = np
