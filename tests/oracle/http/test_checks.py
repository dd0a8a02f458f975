"""A right server passes every check; the checks of the law find what they should."""

from typing import Any

import pytest

from specsim.oracle.http.checks import drafts
from tests.oracle.http.stubs import LARGE, ROWS, bench, served


@pytest.fixture(scope="module")
def right() -> Any:
    """A bench of two right servers, one without speculation."""
    with served() as url, served(plain=True) as plain_url:
        made = bench(url, plain_url)
        drafts.look(made)
        yield made


def quick() -> list[Any]:
    """Every row; those of the law under a parameter take long together."""
    slow = [name for name in ROWS if "/law/" in name and "neutral" not in name]
    marked = {name: pytest.param(name, marks=pytest.mark.slow) for name in slow}
    return [marked.get(name, name) for name in ROWS]


@pytest.mark.parametrize("name", quick())
def test_right_server_passes(name: str, right: Any) -> None:
    found = ROWS[name].run(right)
    assert found.verdict == "not_rejected", found


def test_right_server_passes_in_the_other_dialect() -> None:
    with served(dialect="llama.cpp") as url:
        asked = bench(url)
        assert asked.server.dialect.name == "llama.cpp"
        assert {"ids", "tops", "drafted", "seed", "counted"} <= asked.server.offers
        for name in (
            "length",
            "stop-strings",
            "blocks",
            "bans",
            "choice",
            "logprobs",
            "metrics",
        ):
            found = ROWS[name].run(asked)
            assert found.verdict == "not_rejected", (name, found)


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("logprob-of-accepted-tokens-zero", "plain/logprobs"),
        ("logprob-of-accepted-tokens-zero", "logprobs/forced"),
        ("nothing-forgotten", "plain/greedy"),
        ("nothing-forgotten", "reference/stream"),
        ("filters-on-the-last-row-alone", "reference/law/top-k"),
        pytest.param(
            "filters-on-the-last-row-alone", "plain/law/top-k", marks=pytest.mark.slow
        ),
        pytest.param(
            "temperature-alone",
            "reference/law/repetition-penalty",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_law_checks_find_faults(fault: str, name: str) -> None:
    with served(plain=True) as plain_url, served(fault) as url:
        found = ROWS[name].run(bench(url, plain_url, LARGE))
    assert found.verdict == "rejected", found
