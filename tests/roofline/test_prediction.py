"""What a prediction says and refuses, and what the command relies on."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline import catalog, fit, names, predict
from specsim.roofline.formats import FORMATS

KEYS = {
    *("model", "gpu", "gpus", "min_gpus", "fits", "batch", "context", "step_ms"),
    *("low_ms", "high_ms", "ideal_ms", "tokens_per_s", "bound", "weight_bytes"),
    *("streamed_bytes", "kv_bytes", "flops", "ops", "notes"),
}


def test_the_teaching_example() -> None:
    made = predict("Llama-3.1-70B", "A100 80GB")
    assert (made.gpus, made.min_gpus, made.fits, made.bound) == (2, 2, True, "memory")
    assert fit.roomy(made.deployment, 1, 2048) == 4
    assert made.weight_bytes == 141_107_412_992
    four = predict("70b", "a100", gpus=4)
    assert four.streamed_bytes == pytest.approx(139.0e9, rel=1e-3)
    assert four.kv_bytes == 2048 * 327_680
    assert four.flops == pytest.approx(139.0e9 + 5.4e9, rel=1e-3)
    assert four.ideal_ms == pytest.approx(17.1, rel=0.02)
    one = predict("70b", "a100", gpus=1)
    assert not one.fits
    assert "does not fit" in one.notes[0]


def test_memory_that_is_left() -> None:
    made = predict("70b", "a100")
    case = made.deployment
    assert fit.usable_bytes(case.gpu, 1) == 80 * 2**30 * 0.92 - 1.6e9
    assert fit.usable_bytes(case.gpu, 2) == fit.usable_bytes(case.gpu, 1) - 0.4e9
    weights, cache = 141_107_412_992, 2048 * 327_680
    left = 2 * fit.usable_bytes(case.gpu, 2) - weights - cache
    assert made.spare_bytes == left
    assert 12e9 < left < 13e9
    laptop = predict("1b", "m2-ultra").deployment.gpu
    assert fit.usable_bytes(laptop, 1) == 192 * 2**30 * 0.75 - 1.6e9


def test_a_four_bit_mixture_keeps_the_rest_wide() -> None:
    """The published checkpoint of gpt-oss-120b is 60.8 GiB."""
    made = predict("gpt-oss-120b", "h100")
    assert made.weight_bytes == pytest.approx(60.8 * 2**30, rel=0.005)
    assert made.gpus == 1


def test_large_batches_are_bound_by_compute() -> None:
    made = predict("8b", "h100", batch=4096, context=1)
    assert made.bound == "compute"
    products = made.shares_ms["compute"]
    assert products == pytest.approx(1e3 * made.flops / (0.78 * 989.4e12), rel=0.02)


def test_keys_and_sums() -> None:
    made = predict("mixtral-8x7b", "h100", batch=16)
    told = made.as_dict()
    assert set(told) >= KEYS
    assert json.loads(json.dumps(told)) == told
    ms = sum(op["ms"] for op in told["ops"])
    assert ms + made.shares_ms["host"] == pytest.approx(told["step_ms"])
    assert sum(told["shares_ms"].values()) == pytest.approx(told["step_ms"])
    assert sum(op["flops"] for op in told["ops"]) == pytest.approx(told["flops"])
    read = told["streamed_bytes"] + told["kv_bytes"]
    assert read < sum(op["bytes"] for op in told["ops"]) < 1.05 * read
    assert told["tokens_per_s"] == pytest.approx(16_000 / told["step_ms"])
    assert {op["bound"] for op in told["ops"]} <= {
        *("memory", "compute", "latency", "communication")
    }


def test_every_model_and_every_gpu_is_answered_or_refused_in_a_line() -> None:
    refused = {}
    for model in catalog.models():
        for gpu in ("h100", "mi300x", "m2-ultra"):
            try:
                made = predict(model, gpu)
            except Bad as error:
                refused[model.name, gpu] = str(error)
            else:
                assert made.ideal_ms <= made.low_ms <= made.step_ms <= made.high_ms
    assert "\n" not in "".join(refused.values())
    assert {name for name, gpu in refused if gpu == "h100"} == {
        "opt-350m",
        "DeepSeek-V4-Flash",
        "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
        "Llama-4-Maverick-17B-128E",
    }
    for row in catalog.gpus():
        made = predict("smollm2-135m", row)
        assert made.gpus == 1
        assert made.ideal_ms <= made.low_ms <= made.step_ms <= made.high_ms


@given(
    st.sampled_from(["8b", "mixtral-8x7b", "deepseek-v3", "gemma3-27b"]),
    st.sampled_from(["a100", "h200", "mi300x", "4090"]),
    st.sampled_from([*(n for n in FORMATS if "fp4" not in n), None]),
    st.integers(1, 10_000),
    st.integers(1, 200_000),
    st.sampled_from([1, 2, 4, 8]),
)
def test_order(
    model: str, gpu: str, weights: str | None, batch: int, context: int, gpus: int
) -> None:
    asked: dict[str, Any] = {"gpus": gpus, "context": context, "weights": weights}
    made = predict(model, gpu, batch=batch, **asked)
    assert made.ideal_ms <= made.low_ms <= made.step_ms <= made.high_ms
    more = predict(model, gpu, batch=2 * batch, **asked)
    assert more.step_ms >= made.step_ms
    assert more.kv_bytes == 2 * made.kv_bytes
    assert made.fits or not more.fits


def test_each_engine_adds_its_host() -> None:
    names = "ideal", "trtllm", "typical", "vllm", "sglang", "hf"
    times = [predict("8b", "h100", engine=name).step_ms for name in names]
    assert times == sorted(times)


@pytest.mark.parametrize("gpu", ["core-i9-14900k", "m1-max", "xeon-6980p", "3060"])
def test_one_token_is_bound_by_memory_without_matrix_units(gpu: str) -> None:
    """Plain units compute the tokens there are; only matrix units whole tiles."""
    assert predict("1b", gpu, weights="int8").bound == "memory"
    assert predict("1b", "b200", weights="fp32").bound == "memory"


@pytest.mark.parametrize("name", ["Qwen3.5-27B", "Qwen3-Next-80B-A3B-Instruct"])
def test_gpus_stream_no_more_than_they_hold(name: str) -> None:
    """The unlisted matrices of linear attention are divided like the others."""
    one, two = (predict(name, "h100", gpus=n, batch=256) for n in (1, 2))
    assert two.streamed_bytes == pytest.approx(one.streamed_bytes, rel=0.05)


def degrees(model: str, gpu: str = "a100") -> list[int]:
    return fit.degrees(names.model(model), names.gpu(gpu))


def test_degrees_divide_heads() -> None:
    assert degrees("falcon-7b") == [1]
    assert degrees("phi-4") == [1, 2]
    assert degrees("70b") == [1, 2, 4, 8, 16, 32, 64]
    assert degrees("8b", "m2-ultra") == [1]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"batch": 0}, "batch 0"),
    ({"batch": -1}, "batch -1"),
    ({"batch": 1.5}, "batch 1.5"),
    ({"batch": "4"}, "batch '4'"),
    ({"batch": True}, "batch True"),
    ({"batch": 10**10}, "batch 10000000000"),
    ({"context": 0}, "context 0"),
    ({"context": float("nan")}, "context nan"),
    ({"gpus": 0}, "gpus 0"),
    ({"gpus": 3}, "gpus 3: Llama-3.1-70B in bf16 on A100"),
    ({"gpus": 128}, "1, 2, 4, 8, 16, 32 or 64 GPUs only"),
    ({"weights": "int5"}, "weights 'int5': choose from fp32, bf16"),
    ({"kv": "x"}, "kv 'x'"),
    ({"engine": "x"}, "engine 'x': choose from typical"),
    ({"context": 10**9}, "does not fit on 1, 2"),
    ({"model": "nope"}, "no model 'nope'"),
    ({"gpu": "nope"}, "no GPU 'nope'"),
    ({"gpu": "m2-ultra", "gpus": 2}, "over 1 GPU only"),
]


@pytest.mark.parametrize(("given", "named"), BAD)
def test_refuses_in_one_line(given: dict[str, Any], named: str) -> None:
    with pytest.raises(Bad) as caught:
        predict(**{"model": "70b", "gpu": "a100", **given})
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_needs_nothing_heavy() -> None:
    heavy = (
        "torch",
        "scipy.stats",
        "pandas",
        "matplotlib",
        "statsmodels",
        "transformers",
    )
    code = (
        "import sys; from specsim.roofline import predict, text; "
        "text(predict('70b', 'a100'), explain=True); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == (
        "[]\n"
    )
