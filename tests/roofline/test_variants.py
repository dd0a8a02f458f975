"""Tuned, dated, quantised and renamed models have the shape of a row of the table."""

import pytest

from specsim.errors import Bad
from specsim.roofline import names, variants

SHAPES = {
    "nvidia/Llama-3.1-8B-Instruct-FP8": "meta-llama/Llama-3.1-8B",
    "Qwen/Qwen3-235B-A22B-FP8": "Qwen/Qwen3-235B-A22B",
    "Qwen3-30B-A3B-Instruct-2507-FP8": "Qwen/Qwen3-30B-A3B",
    "nvidia/DeepSeek-R1-NVFP4": "deepseek-ai/DeepSeek-R1",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek-ai/DeepSeek-R1",
    "nvidia/DeepSeek-V3.1-NVFP4": "deepseek-ai/DeepSeek-V3",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek-ai/DeepSeek-V3",
    "DeepSeek-R1-Distill-Llama-70B": "meta-llama/Llama-3.1-70B",
    "TheBloke/Llama-2-7B-Chat-GPTQ": "meta-llama/Llama-2-7b-hf",
    "Vicuna-7B-v1.3": "lmsys/vicuna-7b-v1.5",
    "LLaMA-33B": "huggyllama/llama-30b",
    "phind-CodeLlama-34B Q4_K_M": "codellama/CodeLlama-34b-hf",
    "QwQ-32B": "Qwen/Qwen2.5-32B",
    "Qwen2.5-Coder-7B-Instruct-AWQ": "Qwen/Qwen2.5-7B",
    "Zephyr-7B": "mistralai/Mistral-7B-v0.1",
    "Mixtral-8x7B-Instruct-v0.1": "mistralai/Mixtral-8x7B-v0.1",
    "moonshotai/Kimi-K2-Instruct-0905": "moonshotai/Kimi-K2-Instruct",
    "MiniMaxAI/MiniMax-M2": "MiniMaxAI/MiniMax-M2.5",
    "InternLM-20B": "internlm/internlm-20b",
    "MPT-7B": "mosaicml/mpt-7b",
    "OpenLlama-3B": "openlm-research/open_llama_3b",
    "Phi-2-2.7B": "microsoft/phi-2",
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    assert names.model(name).hf_id == SHAPES[name]


def test_a_precision_in_the_name_is_the_native_one() -> None:
    assert names.model("Qwen/Qwen3-8B-AWQ").native_dtype == "int4"
    assert names.model("nvidia/Qwen3-32B-NVFP4").native_dtype == "nvfp4"
    assert names.model("Qwen/Qwen3-8B").native_dtype == "bf16"


def test_every_pattern_has_a_source_and_leads_to_rows() -> None:
    for _, row, source in variants.SAME_SHAPE:
        assert source
        assert "\\" in row or names.listed_model(row)


@pytest.mark.parametrize("name", ["Llama-3.1-9B-FP8", "GPT-2 40M", "acme-7b-instruct"])
def test_other_sizes_are_other_models(name: str) -> None:
    with pytest.raises(Bad):
        names.model(name)
