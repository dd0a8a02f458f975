"""What the reader is told to doubt, and how it widens the interval."""

import json
from pathlib import Path

import pytest

from specsim.errors import Bad
from specsim.roofline import catalog, predict, step
from specsim.roofline.formats import FORMATS
from tests.roofline.test_config import LLAMA


def noted(*asked: str, weights: str | None = None) -> list[str]:
    notes = predict(*asked, weights=weights).notes
    return [note for note in notes if "the datasheet of" in note]


def test_unmeasured_gpus_are_said_to_be_and_get_a_wider_interval() -> None:
    known, guessed = predict("8b", "h100"), predict("8b", "gaudi3")
    assert any("generic" in note for note in guessed.notes)
    assert (
        guessed.deployment.spread.high - guessed.deployment.spread.low
        > known.deployment.spread.high - known.deployment.spread.low
    )


@pytest.mark.parametrize(
    ("model", "gpu", "weights", "said"),
    [
        ("1b", "t4", "bf16", "T4 has no bf16 rate: FLOPs counted at its fp16 one"),
        ("1b", "v100", "bf16", "has no bf16 rate: FLOPs counted at its fp16 one"),
        ("1b", "v100", "fp8", "has no fp8 rate: FLOPs counted at its fp16 one"),
        ("8b", "a100", "fp8", "has no fp8 rate: FLOPs counted at its bf16 one"),
        ("8b", "tpuv4", "fp16", "has no fp16 rate: FLOPs counted at its bf16 one"),
        ("gpt-oss-20b", "h100", None, "has no fp4 rate"),
    ],
)
def test_formats_the_hardware_lacks(
    model: str, gpu: str, weights: str | None, said: str
) -> None:
    (note,) = noted(model, gpu, weights=weights)
    assert said in note
    assert "wider interval" in note


@pytest.mark.parametrize("gpu", ["a100", "h100", "v100", "l40s"])
def test_four_bit_floats_are_refused_where_nothing_computes_them(gpu: str) -> None:
    with pytest.raises(Bad, match="no fp4 arithmetic; take int4"):
        predict("1b", gpu, weights="nvfp4")


@pytest.mark.parametrize(
    ("gpu", "weights"),
    [
        *(("a100", name) for name in ("fp32", "fp16", "bf16", "int8", "int4")),
        *(("v100", name) for name in ("fp32", "fp16", "int8", "int4")),
        *(("b200", name) for name in FORMATS),
        ("h100", "fp8"),
    ],
)
def test_formats_it_has_or_no_hardware_needs(gpu: str, weights: str) -> None:
    assert not noted("1b", gpu, weights=weights)


def test_a_format_the_hardware_lacks_widens_the_interval() -> None:
    has, lacks = (
        predict("1b", "v100", weights=w).deployment.spread for w in ("fp16", "bf16")
    )
    assert lacks.low < has.low
    assert lacks.high > has.high


def test_every_gpu_computes_in_every_format() -> None:
    for gpu in catalog.gpus():
        assert all(step.peak(gpu, form) > 0 for form in FORMATS.values())


def test_fp16_runs_at_its_own_rate() -> None:
    mi100 = predict("1b", "mi100").deployment.gpu
    rates = [step.peak(mi100, FORMATS[name]) for name in ("fp16", "bf16")]
    assert rates == [184.6e12, 92.3e12]


def test_long_contexts_are_noted(tmp_path: Path) -> None:
    assert any("4,096" in n for n in predict("llama2-7b", "a100", context=5000).notes)
    assert not predict("llama2-7b", "a100", context=4096).notes
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA | {"max_position_embeddings": 16}))
    assert any("than the 16 " in note for note in predict(str(file), "a100").notes)
