"""Predictions against published measurements at batch 1 and against worked cases.

The measurements are of dense 16-bit models on A100 and H100: milliseconds a token, by
model, GPU, number of GPUs, mean context and source.
"""

from typing import Any

import pytest

from specsim.roofline import predict
from specsim.roofline.prediction import Prediction

GPT_FAST = "pytorch-labs/gpt-fast README.md at 32971d3"
LMDEPLOY = "InternLM/lmdeploy docs/en/benchmark/a100_fp16.md at 3e391df"
QWEN = "QwenLM/Qwen3 docs/source/benchmark/speed_benchmark.rst before f4d356c (vLLM)"
TORCHAO = "pytorch/ao torchao/_models/llama/benchmark_results.txt before c4ca58d"
MEASURED = [
    ("llama2-7b", "a100", 1, 105, 9.53, GPT_FAST),
    ("llama3-8b", "a100", 1, 105, 10.65, GPT_FAST),
    ("llama2-7b", "a100", 2, 105, 5.92, GPT_FAST),
    ("llama2-7b", "a100", 4, 105, 3.94, GPT_FAST),
    ("llama2-7b", "a100", 8, 105, 3.04, GPT_FAST),
    ("llama2-70b", "a100", 2, 105, 46.90, GPT_FAST),
    ("llama2-70b", "a100", 4, 105, 26.31, GPT_FAST),
    ("llama2-70b", "a100", 8, 105, 16.00, GPT_FAST),
    ("llama3-8b", "a100", 2, 105, 6.71, GPT_FAST),
    ("llama3-8b", "a100", 4, 105, 4.60, GPT_FAST),
    ("llama3-70b", "a100", 4, 105, 26.70, GPT_FAST),
    ("llama3-70b", "a100", 8, 105, 17.01, GPT_FAST),
    ("llama2-7b", "a100", 1, 65, 10.00, LMDEPLOY),
    ("llama2-7b", "a100", 1, 3072, 10.66, LMDEPLOY),
    ("llama2-13b", "a100", 1, 65, 17.39, LMDEPLOY),
    ("llama2-13b", "a100", 1, 3072, 19.19, LMDEPLOY),
    ("llama2-70b", "a100", 4, 65, 29.46, LMDEPLOY),
    ("llama2-70b", "a100", 4, 3072, 31.35, LMDEPLOY),
    ("qwen2.5-0.5b", "a100", 1, 1025, 3.21, QWEN),
    ("qwen2.5-0.5b", "a100", 1, 31744, 3.78, QWEN),
    ("qwen2.5-1.5b", "a100", 1, 1025, 5.45, QWEN),
    ("qwen2.5-1.5b", "a100", 1, 31744, 6.58, QWEN),
    ("qwen2.5-7b", "a100", 1, 1025, 11.87, QWEN),
    ("qwen2.5-7b", "a100", 1, 31744, 14.22, QWEN),
    ("qwen2.5-14b", "a100", 1, 1025, 21.60, QWEN),
    ("qwen2.5-14b", "a100", 1, 31744, 26.90, QWEN),
    ("qwen2.5-32b", "a100", 1, 1025, 45.19, QWEN),
    ("qwen2.5-32b", "a100", 2, 31744, 31.43, QWEN),
    ("qwen2.5-72b", "a100", 2, 1025, 54.98, QWEN),
    ("qwen2.5-72b", "a100", 4, 1025, 31.88, QWEN),
    ("qwen2.5-72b", "a100", 4, 31744, 36.32, QWEN),
    ("llama2-7b", "a100", 1, 106, 9.31, TORCHAO),
    ("llama3-8b", "a100", 1, 106, 10.46, TORCHAO),
    ("llama3-8b", "h100", 1, 350, 6.32, "SGLang docs, speculative_decoding.md"),
    ("llama2-7b", "h100", 1, 178, 6.41, "SafeAILab/EAGLE pull request 173 (SGLang)"),
    ("llama3-8b", "a100", 1, 550, 11.22, "FR-Spec, arXiv 2502.14856, Table 2"),
]


def measured(source: str = "") -> list[tuple[Prediction, float]]:
    return [
        (predict(model, gpu, gpus=gpus, context=context, weights="bf16"), ms)
        for model, gpu, gpus, context, ms, where in MEASURED
        if where.startswith(source)
    ]


def test_the_interval_holds_nine_measurements_in_ten() -> None:
    inside = [made.low_ms <= ms <= made.high_ms for made, ms in measured()]
    assert sum(inside) >= 0.9 * len(inside)


def test_the_interval_is_no_wider_than_it_need_be() -> None:
    for made, _ in measured():
        assert made.high_ms - made.low_ms < 0.3 * made.step_ms + 1.6


def test_half_the_measurements_within_a_tenth() -> None:
    errors = sorted(abs(made.step_ms / ms - 1) for made, ms in measured())
    assert errors[len(errors) // 2] < 0.1


def test_compiled_loops_within_seven_per_cent() -> None:
    for made, ms in measured(GPT_FAST):
        assert made.step_ms == pytest.approx(ms, rel=0.07)


CASES: list[tuple[tuple[str, str], dict[str, Any], float, float]] = [
    (("llama2-7b", "a100"), {"context": 1024}, 6.75, 10.3),
    (("llama2-7b", "a100"), {"context": 1024, "batch": 32}, 15.05, 20.9),
    (("70b", "a100"), {"gpus": 4}, 17.15, 27.1),
    (("8b", "h100"), {"context": 1024, "weights": "fp8"}, 2.44, 4.6),
    (("8b", "h100"), {"batch": 64, "weights": "fp8"}, 7.68, 11.2),
    (("8b", "h100"), {}, 4.56, 6.4),
    (("mixtral-8x7b", "h100"), {"gpus": 2, "batch": 16, "context": 1024}, 14.3, 17.6),
    (("llama2-7b", "4090"), {"context": 1024, "weights": "int4"}, 4.2, 6.7),
    (("70b", "a100"), {"gpus": 1, "context": 1024}, 68.4, 92.6),
]


@pytest.mark.parametrize(("names", "options", "ideal", "expected"), CASES)
def test_cases_worked_by_others(
    names: tuple[str, str], options: dict[str, Any], ideal: float, expected: float
) -> None:
    made = predict(*names, **options)
    assert made.ideal_ms == pytest.approx(ideal, rel=0.03)
    assert made.step_ms == pytest.approx(expected, rel=0.09)
