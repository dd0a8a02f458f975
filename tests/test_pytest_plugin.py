"""The plugin as an engine's own repository meets it: no conftest, nothing set up."""

import subprocess
import sys
from pathlib import Path

import pytest
from scipy import special

from specsim.oracle.casewise import items
from specsim.oracle.reporting import html, junit, results

pytest_plugins = ["pytester"]
LOADED = items, html, junit, special
"""Runs within this process forget what they import, and would mix two of each class."""

ENGINES = """
import time
import numpy as np

def draw(rng, weights):
    u = rng.random() * weights.sum()
    return int(np.searchsorted(np.cumsum(weights), u, "right"))

def verify(p, q, tokens, *, rng, correct=lambda p, q: np.maximum(p - q, 0)):
    for i, x in enumerate(tokens):
        if rng.random() >= p[i, x] / q[i, x]:
            return [*tokens[:i], draw(rng, correct(p[i], q[i]))]
    return [*tokens, draw(rng, p[-1])]

def wrong(p, q, tokens, *, rng):
    return verify(p, q, tokens, rng=rng, correct=lambda p, q: p)

def hidden(p, q, tokens, *, rng):
    return verify(p, q, tokens, rng=np.random.default_rng(rng.integers(2**62)))

def wrong_and_hidden(p, q, tokens, *, rng):
    return wrong(p, q, tokens, rng=np.random.default_rng(rng.integers(2**62)))

def hangs(p, q, tokens, *, rng):
    time.sleep(3600)

def coins(p, q, tokens, *, accept, sample):
    for i, x in enumerate(tokens):
        if accept[i] * q[i, x] >= p[i, x]:
            cdf = np.cumsum(np.maximum(p[i] - q[i], 0))
            return [*tokens[:i], int((cdf <= sample[i] * cdf[-1]).sum())]
    return [*tokens, int((np.cumsum(p[-1]) <= sample[-1]).sum())]
"""
ONE = "specsim/verify/rng::zero-in-target/iid/1"
TWO = "specsim/verify/rng::certain-target/iid/1"
HERE = "--specsim-case", ONE, "--specsim-case", TWO


@pytest.fixture
def repo(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An engine's repository, which has a test of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]")
    pytester.makepyfile(mine=ENGINES, test_own="def test_own(): pass")
    return pytester


def run(repo: pytest.Pytester, *words: str) -> pytest.RunResult:
    return repo.runpytest_inprocess("-p", "specsim.pytest_plugin", "-rA", *words)


def judged(repo: pytest.Pytester, engine: str, *words: str) -> pytest.RunResult:
    return run(repo, "--specsim-engine", engine, "-m", "distribution", *words)


@pytest.mark.distribution
def test_each_case_of_a_right_engine_is_a_passing_test(repo: pytest.Pytester) -> None:
    done = judged(repo, "mine:verify", "--specsim-budget", "smoke")
    done.assert_outcomes(passed=18, deselected=1)
    done.stdout.fnmatch_lines([f"PASSED {ONE}"])
    assert done.ret == 0


@pytest.mark.distribution
def test_a_wrong_engine_fails_with_a_witness_a_diagnosis_and_a_command(
    repo: pytest.Pytester,
) -> None:
    done = judged(repo, "mine:wrong", *HERE)
    done.assert_outcomes(passed=1, failed=1, deselected=1)
    done.stdout.fnmatch_lines(
        [
            "token 0 as the first token: wanted 1/2, got 3/8",
            "  p(root) = 1/2 0 1/2",
            "  q(root) = 1/4 1/4 1/2",
            "  resembles residual-is-target: residual(p[[]i], q[[]i]) -> p[[]i]",
            f"again: pytest --specsim-engine mine:wrong --specsim-case {ONE} *",
            "REJECTED in 2 cases",
        ]
    )


def test_the_own_tests_run_besides_and_are_not_disturbed(repo: pytest.Pytester) -> None:
    run(repo, "--specsim-engine", "mine:verify", *HERE).assert_outcomes(passed=3)
    run(repo).assert_outcomes(passed=1)
    assert not list(Path().glob("*.json"))


def test_ids_are_the_same_for_every_engine(repo: pytest.Pytester) -> None:
    words = "--collect-only", "-q", "--specsim-budget", "smoke"
    ids = [
        [line for line in judged(repo, f"mine:{name}", *words).outlines if "::" in line]
        for name in ("verify", "wrong")
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == len(set(ids[0])) == 18


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("known.txt", f"# ours\n{ONE}  # issue 7\n"),
        ("known.toml", f'known_fail = ["{ONE}"]'),
        ("known.toml", f'[known_fail]\n"{ONE}" = "issue 7"'),
    ],
)
def test_a_known_failure_is_expected(
    name: str, text: str, repo: pytest.Pytester
) -> None:
    Path(name).write_text(text)
    done = judged(repo, "mine:wrong", *HERE, "--specsim-known-fail", name)
    done.assert_outcomes(passed=1, xfailed=1, deselected=1)
    assert done.ret == 0


def test_a_known_failure_that_passes_is_an_error(repo: pytest.Pytester) -> None:
    Path("known.txt").write_text(ONE)
    done = judged(repo, "mine:verify", *HERE, "--specsim-known-fail", "known.txt")
    done.assert_outcomes(passed=1, failed=1, deselected=1)
    done.stdout.fnmatch_lines(["*XPASS(strict)*"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("specsim/verify/rng::no-such-case", "'*no-such-case' is no case of this"),
        (f"{ONE}\n{ONE}", "stands there twice"),
    ],
)
def test_a_known_failure_that_is_no_case_is_an_error(
    text: str, told: str, repo: pytest.Pytester
) -> None:
    Path("known.txt").write_text(text)
    done = judged(repo, "mine:wrong", *HERE, "--specsim-known-fail", "known.txt")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines([f"*specsim: --specsim-known-fail*{told}*"])


def test_a_known_failure_excuses_no_broken_engine(repo: pytest.Pytester) -> None:
    Path("known.txt").write_text(TWO)
    options = "--specsim-known-fail", "known.txt", "--specsim-budget", "smoke"
    done = judged(repo, "mine:hangs", *HERE, *options)
    done.assert_outcomes(failed=1, skipped=1, deselected=1)
    done.stdout.fnmatch_lines(["engine 'mine:hangs': hangs: no answer within 5 s"])


@pytest.mark.distribution
def test_what_cannot_be_read_is_drawn_and_shown_with_its_chi_square(
    repo: pytest.Pytester,
) -> None:
    done = judged(repo, "mine:hidden", *HERE)
    done.assert_outcomes(passed=2, deselected=1)
    words = "--specsim-report", "out"
    done = judged(repo, "mine:wrong_and_hidden", *HERE, *words)
    done.assert_outcomes(passed=1, failed=1, deselected=1)
    done.stdout.fnmatch_lines(["chi-square of first tokens, for reading only: *"])
    done.stdout.fnmatch_lines(["report: out/report.html"])
    page = Path("out/report.html").read_text()
    assert "log10 E over blocks drawn" in page
    assert 'failures="1"' in Path("out/junit.xml").read_text()


def test_a_report_of_all_cases_is_a_result_like_any_other(
    repo: pytest.Pytester,
) -> None:

    judged(repo, "mine:wrong", *HERE, "--specsim-report", "out")
    made = results.load(Path("out/report.json"))
    assert made.verdict == "rejected"
    assert made.diagnosis[0].name == "residual-is-target"
    assert [tier.verdict for tier in made.tiers] == ["exact", "rejected"]


def test_the_same_coins_are_a_case_too(repo: pytest.Pytester) -> None:
    case = "--specsim-case", "specsim/verify/coins::vectors"
    judged(repo, "mine:coins", "--specsim-rule", "chain", *case).assert_outcomes(
        passed=1, deselected=1
    )
    done = judged(repo, "mine:coins", "--specsim-rule", "one_hot", *case)
    done.assert_outcomes(failed=1, deselected=1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--specsim-budget", "smoke"], "--specsim-budget goes with --specsim-engine"),
        (["--specsim-engine", "nowhere"], "write it as module:attribute"),
        (["--specsim-engine", "mine:nope"], "no attribute 'nope'"),
        (["--specsim-engine", "mine:verify", "--specsim-rule", "x"], "no rule is call"),
        (["--specsim-engine", "mine:verify", "--specsim-case", "x"], "matches no case"),
    ],
)
def test_bad_usage_is_one_line(
    words: list[str], told: str, repo: pytest.Pytester
) -> None:
    done = run(repo, *words)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in done.errlines if line]
    assert len(lines) == 1
    assert told in lines[0]


def test_loading_the_plugin_imports_nothing_else() -> None:
    program = (
        "import pytest, sys; before = set(sys.modules); import specsim.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["specsim", "specsim.pytest_plugin"]
