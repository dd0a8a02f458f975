"""Public functions as packages install them: each has the verdict that is written down.

Where a package is not installed, or not in the version of FINDINGS.md, its test is
skipped: pip install --no-deps --ignore-requires-python -r requirements.txt
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim.oracle import judge, trial
from specsim.oracle.readings import standin, symbolic
from tools import findings

pytestmark = [pytest.mark.engine, pytest.mark.distribution]
PACKAGED = [subject for subject in findings.subjects() if "package" in subject]


@pytest.mark.parametrize("subject", PACKAGED, ids=findings.key)
def test_it_has_the_verdict_that_is_written_down(
    subject: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    why = findings.missing(subject, Path())
    if why:
        pytest.skip(why)
    monkeypatch.setitem(trial.LAW_SECONDS, "smoke", (0.0, 600.0))  # the core, all of it
    monkeypatch.setitem(judge.TIMEOUT, "smoke", 60.0)
    report = judge.check(subject["engine"], budget="smoke")
    kept = findings.results()[findings.key(subject)]
    right = {"exact", "exact_within"}
    assert {report.verdict, kept["verdict"]} <= right or (
        report.verdict == kept["verdict"]
    ), report.text()
    assert [found.name for found in report.findings] == [
        found["name"] for found in kept["findings"]
    ]


def test_the_capped_step_is_wrong_with_two_drafted_tokens_of_full_support() -> None:
    pytest.importorskip("seqspecdecod")
    from specsim.oracle.engines import sequential

    p = {(): (0.5, 0.5), (0,): (0.25, 0.75), (1,): (0.75, 0.25)}
    q = {(): (0.75, 0.25), (0,): (0.5, 0.5), (1,): (0.5, 0.5)}
    first: dict[int, Fraction] = defaultdict(Fraction)
    for tokens in product((0, 1), repeat=2):
        seen = (), tokens[:1]
        target = np.array([*(p[at] for at in seen), (0.5, 0.5)])
        drafter = np.array([q[at] for at in seen])
        odds = [Fraction(q[at][x]) for at, x in zip(seen, tokens, strict=True)]
        asked = target, drafter, np.array(tokens)

        def run(path: symbolic.Path, asked: Any = asked) -> int:
            return sequential.capped(*asked, rng=standin.StandIn(path))[0]

        for token, weight in symbolic.law(run).items():
            first[token] += odds[0] * odds[1] * weight
    assert abs(first[0] - Fraction(3, 4)) < 2**-20
