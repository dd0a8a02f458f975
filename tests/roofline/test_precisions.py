"""Words about stored numbers name a format, and can be taken out of a name."""

import pytest

from specsim.roofline import precisions
from specsim.roofline.formats import FORMATS

SAID = {
    "nvidia/Llama-3.1-8B-Instruct-FP8": "fp8",
    "Qwen3-32B-FP8-dynamic": "fp8",
    "DeepSeek-R1-NVFP4": "nvfp4",
    "nvidia/DeepSeek-R1-0528-FP4": "nvfp4",
    "gpt-oss MXFP4": "mxfp4",
    "GPTQ-4b g128 act": "int4",
    "AWQ-4b g128 (GEMM)": "int4",
    "Qwen2.5-7B-Instruct-GPTQ-Int8": "int8",
    "int4wo-64": "int4wo",
    "int8dq": "int8dq",
    "llm.int8": "int8",
    "Q4_K_M": "q4_k_m",
    "Q8_0": "q8_0",
    "bfloat16": "bf16",
    "F16": "fp16",
    "float32": "fp32",
    "nvfp4 MoE + bf16 attention": "nvfp4",
    "EXL2 4.0bpw": "exl2",
}


@pytest.mark.parametrize("words", SAID)
def test_words(words: str) -> None:
    said = precisions.named(words)
    assert said is not None
    assert said.format == SAID[words]


@pytest.mark.parametrize("words", ["secret sauce", "Llama-3.1-8B", "Qwen3-30B-A3B", ""])
def test_nothing_said(words: str) -> None:
    assert precisions.named(words) is None


def test_every_word_leads_to_a_format() -> None:
    assert {form for _, form, _ in precisions.WORDS} <= set(FORMATS)


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("DeepSeek-R1-NVFP4", "DeepSeek-R1"),
        ("Llama-2-7B int4", "Llama-2-7B"),
        ("Qwen3-4B-GPTQ-Int4 g128", "Qwen3-4B"),
        ("Qwen2.5-Coder-32B Q4_K_L", "Qwen2.5-Coder-32B"),
        ("Mixtral-8x7B EXL2 3.5bpw", "Mixtral-8x7B"),
        ("Qwen3-235B-A22B", "Qwen3-235B-A22B"),
    ],
)
def test_a_name_without_them(name: str, rest: str) -> None:
    assert precisions.without(name) == rest


def test_bits_choose_the_nearest_format() -> None:
    kinds = [precisions.of_bits(bits).format for bits in (2.5, 4.25, 8.5, 16, 32)]
    assert kinds == ["int4", "int4", "int8", "bf16", "fp32"]
