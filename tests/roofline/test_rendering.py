"""What people read: short, aligned, and with the numbers of the prediction."""

import pytest

from specsim.roofline import gpus_table, models_rows, models_table, predict, text
from specsim.roofline.lettering import columns, figure


def test_the_folklore_is_computed_not_quoted() -> None:
    said = text(predict("70b", "a100", gpus=4))
    assert "141.1 GB / 2.039 TB/s = 69.2 ms, 14.4 tokens/s on one A100" in said
    held = "77.4 GB (no communication buffers)"
    assert f"does not fit: one card can hold {held} of the 141.8 GB" in said
    assert "2.1 GB of weights are not read" in said
    assert "reach 81% of the peak bandwidth" in said
    assert "88.9 ms" in said
    other = text(predict("8b", "h100"))
    assert "16.1 GB / 3.35 TB/s = 4.79 ms" in other
    assert "does not fit" not in other


def test_fit_is_said() -> None:
    assert "yes: 141.1 GB" in text(predict("70b", "a100"))
    assert "2 GPUs; 4 leave room for KV cache" in text(predict("70b", "a100"))
    forced = text(predict("70b", "a100", gpus=1))
    assert "NO: 141.1 GB of weights on 1 x 77.4 GB" in forced
    assert "can hold 77.4 GB of the 141.8 GB" in forced
    assert "hypothetical" in forced
    assert "1 GPU\n" in text(predict("8b", "h100"))


@pytest.mark.parametrize("model", ["70b", "8b", "deepseek-v3", "gpt-oss-120b"])
@pytest.mark.parametrize("gpu", ["a100", "mi300x", "h20"])
def test_short(model: str, gpu: str) -> None:
    lines = text(predict(model, gpu, batch=8)).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 110


def test_explain_shows_every_operation_and_source() -> None:
    made = predict("mixtral-8x7b", "a100", gpus=2)
    said = text(made, explain=True)
    for each in made.step.timed:
        assert f"\n{each.op.name} " in said
    for source in ("aiconfigurator", "NVIDIA A100", "NVLink 3", "gpt-fast"):
        assert source in said


def test_explain_derives_each_time() -> None:
    made = predict("70b", "a100", gpus=4)
    said = text(made, explain=True)
    derived = " ".join(said.split("one launch of each")[1].split())
    gate_up = derived[derived.index(" gate_up:") : derived.index(" down:")]
    assert "234.9 MB of weights" in gate_up
    assert "at 81% of 2,039 GB/s = 142 us" in gate_up
    assert "after 5.4 us: 148 us; 80 launches" in gate_up
    assert "NaN" not in said
    assert f"all of it: {made.step_ms:.3f} ms" in said


@pytest.mark.parametrize("model", ["8b", "mixtral-8x7b", "deepseek-v3"])
def test_an_explanation_fits_the_screen(model: str) -> None:
    said = text(predict(model, "h200", gpus=8), explain=True)
    explained = said[said.index("one step of one GPU:\noperation") :]
    assert max(map(len, explained.splitlines())) <= 100
    assert " 1 launch: " in " ".join(said.split())
    assert "; 1 launches" not in " ".join(said.split())


@pytest.mark.parametrize("batch", [4096, 500_000])
def test_large_numbers_have_thousands_not_powers(batch: int) -> None:
    made = predict("8b", "h100", gpus=1, batch=batch, context=20_000)
    said = text(made, explain=True)
    assert "e+" not in said
    assert "ms a step, " in said


def test_figures() -> None:
    assert figure(126_123.4, 4) == "126,123"
    assert figure(1400, 3) == "1,400"
    assert figure(999.96, 4) == "1,000"
    assert figure(0.1, 3) == "0.1"
    assert figure(0.000012345, 3) == "0.0000123"


def test_columns_never_touch() -> None:
    wide = columns([("n", "ms", ""), ("1", "123,456,789.00", "x"), ("10", "2", "")])
    assert wide == [" n              ms", " 1  123,456,789.00  x", "10               2"]


def test_tables_say_what_their_columns_hold() -> None:
    assert models_table().splitlines()[0].endswith(" format")
    lines = gpus_table().splitlines()
    assert not any("     0  " in line for line in lines)
    (old,) = (line for line in lines if line.startswith("P40 "))
    assert " 12  Pascal" in old


def test_tables_have_a_line_a_row() -> None:
    assert len(models_table().splitlines()) == len(models_rows()) + 1
    assert "meta-llama/Llama-3.1-70B" in models_table()
    assert "A100-SXM4-80GB" in gpus_table()
