"""Hugging Face transformers end to end: generate, with an assistant and with lookup."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from specsim.oracle.endtoend.cases import Case, sampled
from tests.oracle.endtoend.direct import trial
from tests.oracle.endtoend.hugging_face import Transformers

pytestmark = [pytest.mark.torch, pytest.mark.engine, pytest.mark.distribution]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["plain", "assistant", "lookup"])
def test_its_modes_keep_the_law(mode: str, models: dict[str, Path]) -> None:
    tried = trial(Transformers(), mode, models, answers=96)
    for case in tried.cases:
        if case.name in ("greedy", "sampled", "combination", "repetition-penalty"):
            tried.judge(case)
    if mode != "plain":
        tried.judge_counts()
    for tier in tried.report.tiers:
        assert tier.verdict == "not_rejected", (tier.name, tier.detail)


@pytest.mark.slow
def test_its_lossy_mode_is_seen(models: dict[str, Path]) -> None:
    tried = trial(Transformers(), "ensemble", models, answers=400)
    drawn = tried.drawn(Case("sampled", sampled()))
    assert drawn.refuted
