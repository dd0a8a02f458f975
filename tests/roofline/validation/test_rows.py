"""A row's words become a deployment, its figures milliseconds."""

import pytest

from specsim.roofline.plan import Plan
from specsim.roofline.validation import decode, serving, setting
from specsim.roofline.validation.cells import Skip, degree, number

DECODE = {
    "model": "Llama-2-7B",
    "device": "A100 SXM 80GB",
    "weight_format": "bf16",
    "batch": "4",
    "prompt_len": "100",
    "output_len": "50",
    "metric": "tok/s total",
    "value": "400",
    "engine": "gpt-fast",
}
SERVING = {
    "model_path": "deepseek-ai/DeepSeek-R1",
    "system": "h200_sxm",
    "backend": "sglang",
    "precision": "fp8",
    "isl": "1024",
    "osl": "1024",
    "batch_size": "16.0",
    "tp_size": "8.0",
    "silicon_tpot_ms": "20",
}


def test_a_decode_row() -> None:
    asked = decode.question(DECODE)
    made = asked.deployment
    assert made.model.hf_id == "meta-llama/Llama-2-7b-hf"
    assert made.gpu.name == "A100-SXM4-80GB"
    assert made.plan == Plan()
    assert made.numbers.linear.name == "bf16"
    assert (asked.batch, asked.prompt, asked.context) == (4, 100, 125)


@pytest.mark.parametrize(
    ("metric", "value", "ms"),
    [
        ("tok/s total", "400", 10.0),
        ("tok/s/user", "100", 10.0),
        ("ms/token", "10", 10.0),
        ("s/request", "0.5", 10.0),
    ],
)
def test_every_metric_in_milliseconds_a_step(
    metric: str, value: str, ms: float
) -> None:
    row = DECODE | {"metric": metric, "value": value}
    assert decode.measured(row)["decode"] == pytest.approx(ms)
    assert decode.measured(row | {"ms_per_step": "0"}) == decode.measured(row)
    assert decode.measured(row | {"ms_per_step": "7"})["decode"] == 7


@pytest.mark.parametrize(
    "cells",
    [
        {"metric": "furlongs"},
        {"value": ""},
        {"value": "fast"},
        {"value": "nan"},
        {"value": "-3"},
        {"metric": "s/request", "output_len": ""},
    ],
)
def test_a_figure_that_is_none(cells: dict[str, str]) -> None:
    with pytest.raises(Skip):
        decode.measured(DECODE | cells)


@pytest.mark.parametrize(
    ("cells", "plan"),
    [
        ({"parallel": "TP", "tp": "4", "n_devices": "4"}, Plan(tp=4)),
        ({"parallel": "layer-split", "tp": "1", "n_devices": "2"}, Plan(pp=2)),
        ({"parallel": "", "tp": "", "n_devices": "2"}, Plan(tp=2)),
        ({"parallel": "none", "tp": "0", "n_devices": "0"}, Plan()),
        ({"parallel": "TP2 PP2", "tp": "2", "n_devices": "4"}, Plan(tp=2, pp=2)),
        ({"device": "2x A100 SXM 80GB"}, Plan(tp=2)),
    ],
)
def test_plans_of_decode_rows(cells: dict[str, str], plan: Plan) -> None:
    assert decode.question(DECODE | cells).deployment.plan == plan


def sizes(*cells: str) -> dict[str, str]:
    names = ("tp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size")
    return dict(zip(names, cells, strict=True))


@pytest.mark.parametrize(
    ("cells", "plan"),
    [
        (sizes("", "", "", ""), Plan()),
        (sizes("8.0", "", "1.0", "0.0"), Plan(tp=8)),
        (sizes("8.0", "1.0", "8.0", "1.0"), Plan(tp=8)),
        (sizes("4.0", "", "2.0", "2.0"), Plan(tp=4, ep=2)),
        (sizes("64.0", "1.0", "8.0", "8.0"), Plan(tp=8, ep=8)),
        (sizes("1.0", "64.0", "8.0", "8.0"), Plan(dp=8, ep=8)),
        (sizes("2.0", "2.0", "1.0", "4.0"), Plan(dp=2, ep=2)),
        (sizes("1.0", "8.0", "1.0", "8.0"), Plan(dp=8, ep=8)),
        (sizes("72.0", "1.0", "72.0", "1.0"), Plan(dp=36, ep=36)),
    ],
)
def test_plans_of_serving_rows(cells: dict[str, str], plan: Plan) -> None:
    assert serving.question(SERVING | cells).deployment.plan == plan


def test_requests_are_counted_over_all_replicas() -> None:
    asked = serving.question(SERVING | sizes("1.0", "4.0", "1.0", "4.0"))
    assert asked.batch == 64


def test_prefill_apart() -> None:
    assert serving.question(SERVING | {"mode": "disagg"}).apart
    assert serving.question(SERVING | sizes("36", "1", "36", "1")).apart
    assert not serving.question(SERVING | {"mode": "agg"}).apart


@pytest.mark.parametrize("cell", ["many", "1.5", "-1", "nan", "1e300", "1_000"])
def test_a_bad_parallel_size(cell: str) -> None:
    with pytest.raises(Skip):
        degree({"tp": cell}, "tp")
    assert degree({}, "tp") == degree({"tp": "0"}, "tp") == 1


def test_an_empty_cell_is_no_number() -> None:
    assert number({"x": " "}, "x") is None
    assert number({}, "x") is None


def test_formats_of_words_and_bits() -> None:
    assert setting.stored("AWQ", 4.25).bytes == pytest.approx(4.25 / 8)
    assert setting.stored("bf16", 17.2).bytes == 2
    assert setting.stored("secret sauce", 8.5).name == "int8"
    with pytest.raises(Skip, match="unknown number format"):
        setting.stored("secret sauce", None)


def test_experts_and_attention_in_formats_of_their_own() -> None:
    r1 = setting.model("DeepSeek-R1", None, None).model
    numbers = setting.numbers(r1, "nvfp4 MoE + bf16 attention", None, "")
    assert (numbers.linear.name, numbers.experts.name) == ("bf16", "nvfp4")
    oss = setting.model("gpt-oss-120b", None, None).model
    numbers = setting.numbers(oss, "nvfp4", None, "", "nvfp4")
    assert (numbers.linear.name, numbers.experts.name) == ("bf16", "nvfp4")


def test_an_unknown_model_is_stood_in_for_by_its_size() -> None:
    given = setting.model("Acme-Large", 13.0, None)
    assert given.flags == ("model stand-in",)
    assert given.model.params_total == pytest.approx(13e9, rel=0.01)
    named = setting.model("Acme-30B-A3B", None, None).model
    assert named.moe_experts
    assert named.params_total == pytest.approx(30e9, rel=0.05)
    with pytest.raises(Skip, match="unknown size"):
        setting.model("Acme-Large", None, None)


@pytest.mark.parametrize("name", ["./config.json", "/etc/passwd", "~/x", "-", "..", ""])
def test_a_model_is_never_a_file(name: str) -> None:
    with pytest.raises(Skip):
        setting.model(name, None, None)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("TensorRT-LLM", "trtllm"),
        ("NIM/TensorRT-LLM 1.8.0", "trtllm"),
        ("vLLM 0.6.3", "vllm-0.6"),
        ("vLLM 0.19.0", "vllm"),
        ("SGLang 0.5.9", "sglang"),
        ("something new", "typical"),
        ("", "typical"),
    ],
)
def test_engines(words: str, name: str) -> None:
    assert setting.engine(words).name == name
