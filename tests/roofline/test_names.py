"""What people type finds the row they mean, or nothing."""

from typing import Any

import pytest

from specsim.errors import Bad
from specsim.roofline import catalog, names

GPUS = {
    "a100": "A100-SXM4-80GB",
    "A100 80GB": "A100-SXM4-80GB",
    "a100-80gb-sxm": "A100-SXM4-80GB",
    "NVIDIA A100-SXM4-80GB": "A100-SXM4-80GB",
    "NVIDIA A100 80GB PCIe": "A100-PCIe-80GB",
    "80gb pcie a100": "A100-PCIe-80GB",
    "h100": "H100-SXM5-80GB",
    "H100 SXM": "H100-SXM5-80GB",
    "NVIDIA H100 80GB HBM3": "H100-SXM5-80GB",
    "h100_pcie": "H100-PCIe-80GB",
    "4090": "RTX-4090",
    "rtx4090": "RTX-4090",
    "NVIDIA GeForce RTX 4090": "RTX-4090",
    "RTX 3060": "RTX-3060-12GB",
    "mi300x": "MI300X-192GB",
    "AMD Instinct MI300X": "MI300X-192GB",
    "Tesla T4": "T4",
    "Apple M2 Ultra": "M2-Ultra",
    "  L40S ": "L40S",
}
MODELS = {
    "70b": "meta-llama/Llama-3.1-70B",
    "llama-3.1-70b": "meta-llama/Llama-3.1-70B",
    "Llama-3.1-70B": "meta-llama/Llama-3.1-70B",
    "LLAMA 3.1 70B": "meta-llama/Llama-3.1-70B",
    "70b llama 3.1": "meta-llama/Llama-3.1-70B",
    "llama_3_1_70b": "meta-llama/Llama-3.1-70B",
    "meta-llama/Llama-3.1-70B": "meta-llama/Llama-3.1-70B",
    "meta-llama/Llama-3.1-70B-Instruct": "meta-llama/Llama-3.1-70B",
    "opt-13b": "facebook/opt-13b",
    "opt-1.3b": "facebook/opt-1.3b",
    "opt 1.3b": "facebook/opt-1.3b",
    "Qwen2.5-72B-Instruct": "Qwen/Qwen2.5-72B",
    "mixtral 8x7b": "mistralai/Mixtral-8x7B-v0.1",
    "deepseek-r1": "deepseek-ai/DeepSeek-R1",
    "google/gemma-2-9b-it": "google/gemma-2-9b",
}


@pytest.mark.parametrize("name", GPUS)
def test_gpus(name: str) -> None:
    assert names.gpu(name).name == GPUS[name]


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    assert names.model(name).hf_id == MODELS[name]


def test_every_name_of_every_row_finds_its_row() -> None:
    for gpu in catalog.gpus():
        assert all(names.gpu(name) is gpu for name in gpu.names)
    for model in catalog.models():
        assert all(names.model(name) is model for name in model.names)


def test_ambiguous_names_list_what_they_could_be() -> None:
    with pytest.raises(Bad, match=r"could be .*Llama-2-70b-hf.*Meta-Llama-3-70B"):
        names.model("llama 70b")
    with pytest.raises(Bad, match=r"could be .*A100-PCIe-80GB"):
        names.gpu("pcie")


def test_unknown_names_list_the_nearest() -> None:
    with pytest.raises(Bad, match=r"nearest: .*Llama-3.1-70B"):
        names.model("lama-3.1-70b")
    with pytest.raises(Bad, match=r"nearest: .*A100"):
        names.gpu("a10080g")
    with pytest.raises(Bad, match="specsim list gpus"):
        names.gpu("zzzzzzzzzzzz")


@pytest.mark.parametrize("name", ["llama-17b", "qwen-38b", "llama-2 270b"])
def test_digits_do_not_run_together(name: str) -> None:
    with pytest.raises(Bad):
        names.model(name)


@pytest.mark.parametrize("name", ["", "   ", None, 70, "a\0b", "x" * 5000, "a\nb"])
def test_nonsense_is_refused_in_one_short_line(name: Any) -> None:
    for find in (names.gpu, names.model):
        with pytest.raises(Bad) as caught:
            find(name)
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)
