"""`pytest --specsim-engine pkg.mod:Engine -m distribution`: each case is a test.

pytest loads this file wherever specsim is installed: it imports nothing heavy, and
does nothing unless an engine is named.
"""

import pytest

NEEDS_ENGINE = "budget", "rule", "case", "known_fail", "report"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("specsim", "an engine under specsim's oracle")
    group.addoption(
        "--specsim-engine",
        metavar="ENGINE",
        help="judge module:attribute or ./program, one test a case",
    )
    group.addoption(
        "--specsim-budget", choices=["smoke", "quick", "full", "nightly"], help="quick"
    )
    group.addoption(
        "--specsim-rule",
        metavar="NAME",
        help="the same coins must give this rule's tokens; a lossy rule: its law",
    )
    group.addoption(
        "--specsim-case",
        action="append",
        metavar="ID",
        help="only this case; * and ? match as in file names",
    )
    group.addoption(
        "--specsim-known-fail",
        metavar="FILE",
        help="ids that must fail, one a line, or TOML with a list known_fail",
    )
    group.addoption(
        "--specsim-report",
        metavar="DIR",
        help="write report.json, report.html and junit.xml there",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("specsim_engine"):
        from specsim.oracle.casewise import items

        items.register(config)
        return
    for name in NEEDS_ENGINE:
        if config.getoption(f"specsim_{name}"):
            option = f"--specsim-{name.replace('_', '-')}"
            raise pytest.UsageError(
                f"{option} goes with --specsim-engine ENGINE: add it"
            )
