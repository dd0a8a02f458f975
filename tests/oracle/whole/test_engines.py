"""Public engines end to end: each mode has the verdicts that are written down.

Where an engine is not installed, or not in the version of FINDINGS.md, its tests are
skipped. The first three take a few of their cases; all cases of all are slow.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specsim.oracle import judge
from specsim.oracle.endtoend.offer import Offer
from specsim.oracle.engines import contract
from specsim.oracle.probe import export
from tests.oracle.endtoend.direct import trial
from tools import engines, findings

pytestmark = [pytest.mark.engine, pytest.mark.distribution]
FEW = "greedy", "sampled", "top-k"
ANSWERS = 45
MODES = {
    "onnxruntime_genai": ("plain", "draft-model", "ngram"),
    "openvino_genai": ("plain", "draft-model", "prompt-lookup"),
    "transformers_generate": ("plain", "draft-model", "prompt-lookup", "early-exit"),
}
QUICK = [(name, mode) for name, modes in MODES.items() for mode in modes]
Given = Callable[[str], dict[str, Path]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """The probe pair in a format, written once."""
    made: dict[str, dict[str, Path]] = {}

    def models(format: str) -> dict[str, Path]:
        if format not in made:
            made[format] = export.export(format, tmp_path_factory.mktemp(format))
        return made[format]

    return models


def subject(name: str) -> dict[str, Any]:
    """The engine of one adapter, skipped where it is not here."""
    found = next(s for s in engines.subjects() if f".{name}:Engine" in s["engine"])
    if why := engines.missing(found):
        pytest.skip(why)
    return dict(found)


@pytest.mark.parametrize(("name", "mode"), QUICK)
def test_it_is_right_and_wrong_where_that_is_written_down(
    name: str, mode: str, exported: Given
) -> None:
    found = subject(name)
    kept = engines.modes(engines.results()[findings.key(found)])[mode]
    verdicts = {tier["name"]: tier["verdict"] for tier in kept}
    engine = contract.load(found["engine"])
    models = exported(Offer.of(engine).format)
    tried = trial(engine, mode, models, answers=ANSWERS)
    for case in tried.cases:
        if case.name in FEW:
            drawn = tried.drawn(case)
            assert drawn.refuted == (verdicts[case.name] == "rejected"), case.name


def test_the_lossy_mode_is_seen(exported: Given) -> None:
    engine = contract.load(subject("transformers_generate")["engine"])
    tried = trial(engine, "ensemble", exported("hf"), answers=400)
    tried.run()
    assert [tier.verdict for tier in tried.report.tiers] == ["not_rejected"]


@pytest.mark.slow
@pytest.mark.parametrize("found", engines.subjects(), ids=findings.key)
def test_the_whole_check_says_what_is_written_down(found: dict[str, Any]) -> None:
    if why := engines.missing(found):
        pytest.skip(why)
    kept = engines.results()[findings.key(found)]
    report = judge.check(found["engine"], budget="quick")
    assert report.verdict == kept["verdict"], report.text()
