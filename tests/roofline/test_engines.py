"""Engines are found by the words people use, and cost what their rows say."""

import pytest

from specsim.errors import Bad
from specsim.roofline import deploy, predict
from specsim.roofline.deployment import Deployment
from specsim.roofline.engines import DECODING, ENGINES, WORDS, Engine, named
from specsim.roofline.hardware import FAMILIES
from specsim.roofline.work import Work

SAID = {
    "vLLM 0.6.3 2024-11": "vllm-0.6",
    "vLLM 0.19.0": "vllm",
    "SGLang 0.4.6.post1 2025-05": "sglang-0.4",
    "SGLang 0.5.14": "sglang",
    "TensorRT-LLM v0.6.1 2023-12": "trtllm-0.6",
    "NIM/TensorRT-LLM 1.8.0": "trtllm",
    "LMDeploy TurboMind v0.1.0a1 2023-12": "lmdeploy",
    "AutoAWQ 0.1.6 2023-12": "autoawq-0.1",
    "AutoAWQ 2024-11": "autoawq",
    "torchao/gpt-fast": "gpt-fast",
    "exllamav2": "exllamav2",
    "ExLlamaV2 via TabbyAPI": "exllamav2",
    "MLC-LLM": "mlc",
    "mlx-lm": "mlx",
    "T-MAC CPU": "t-mac",
    "llama.cpp Metal 2025-11": "llama.cpp",
    "llama.cpp 2024-05": "llama.cpp-2024",
    "HF transformers 4.46": "hf",
    "HF accelerate": "hf",
    "lit-gpt (eager)": "eager",
    "DeepSpeed-Inference": "deepspeed",
    "IDEAL": "ideal",
}


@pytest.mark.parametrize("words", SAID)
def test_words(words: str) -> None:
    found = named(words)
    assert found is not None
    assert found.name == SAID[words]


@pytest.mark.parametrize("words", ["", "FR-Spec CUDA framework", "acme", "0.6.3"])
def test_strangers(words: str) -> None:
    assert named(words) is None


def test_words_lead_to_profiles_and_every_profile_is_its_own_word() -> None:
    assert {name for _, name in WORDS} <= set(ENGINES)
    for name, row in ENGINES.items():
        assert named(name) is row
        assert row.name == name


def test_an_unknown_engine_is_told_which_there_are() -> None:
    with pytest.raises(Bad, match=r"engine 'acme': choose from .*llama\.cpp"):
        predict("8b", "h100", engine="acme")


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda row: row.name)
def test_ranges_are_ranges(engine: Engine) -> None:
    for low, expected, high in (engine.step_us, engine.sequence_us, engine.layer_us):
        assert 0 <= low <= expected <= high
    assert engine.spread.low <= 1 <= engine.spread.high
    assert engine.source
    assert set(engine.families) <= {row.name for row in FAMILIES}


def made(engine: str, model: str = "llama3-8b", gpu: str = "a100") -> Deployment:
    return deploy(model, gpu, gpus=1, engine=engine)


def seconds(engine: str, model: str = "llama3-8b", context: int = 512) -> float:
    return float(made(engine, model).run(Work(1, 1, context)).seconds)


def test_the_ideal_engine_is_its_kernels() -> None:
    one = made("ideal").run(Work(64, 1, 512))
    assert one.seconds == one.kernels_s
    assert one.host_s == 0


@pytest.mark.parametrize(
    "engine", [row.name for row in DECODING if row.name != "ideal"]
)
def test_no_engine_is_faster_than_its_kernels(engine: str) -> None:
    assert seconds(engine) > seconds("ideal")


def test_launches_bind_small_models_and_not_large_ones() -> None:
    """Launches of a layer last as long whatever it holds, until kernels last longer."""
    small, large = seconds("hf", "qwen2.5-0.5b"), seconds("hf", "llama2-70b")
    launches, host = 850e-6, 230e-6
    assert small == pytest.approx(24 * launches + host)
    assert large > 80 * launches + host + 0.01
    assert seconds("hf", "llama2-7b") == pytest.approx(seconds("hf", "llama3-8b"))


def test_queries_of_a_group_that_read_the_cache_again() -> None:
    """8 heads share a cache in the 70B, 4 in the 8B, none in Llama-2-7B."""
    added = {}
    for model in ("llama2-7b", "llama3-8b"):
        long, short = (seconds("llama.cpp-2024", model, n) for n in (8192, 0))
        ideal = seconds("ideal", model, 8192) - seconds("ideal", model, 0)
        added[model] = (long - short) / ideal
    again = 1 + 3 * ENGINES["llama.cpp-2024"].rereads
    assert added["llama2-7b"] == pytest.approx(1, abs=0.01)
    assert added["llama3-8b"] == pytest.approx(again, rel=0.02)


def test_hand_written_products_starve_a_gpu_of_little_arithmetic() -> None:
    """A100 has a fifth of the fp32 rate of RTX 4090 and twice its bandwidth."""
    slower = {gpu: _ratio(gpu) for gpu in ("a100", "4090")}
    assert slower["a100"] > 1.25
    assert slower["4090"] < 1.1


def _ratio(gpu: str) -> float:
    by, ideal = (
        deploy("llama3-8b", gpu, gpus=1, engine=name).run(Work()).kernels_s
        for name in ("llama.cpp-2024", "ideal")
    )
    return float(by / ideal)


def test_versions_differ() -> None:
    assert seconds("vllm-0.6") > seconds("vllm") + 5e-4
    assert seconds("llama.cpp-2024", context=4096) > 1.2 * seconds("llama.cpp")
    new, old = (
        predict("llama2-7b", "4090", engine=name, weights="awq").step_ms
        for name in ("autoawq", "autoawq-0.1")
    )
    assert new > 1.3 * old


def test_an_engine_elsewhere_than_measured_says_so_and_doubts_more() -> None:
    here, there = (
        predict("8b", gpu, engine="vllm-0.6", weights="awq") for gpu in ("a100", "l40s")
    )
    assert not any("was measured on" in note for note in here.notes)
    assert any("vllm-0.6 was measured on A100" in note for note in there.notes)
    assert there.high_ms / there.step_ms > 1.1 * here.high_ms / here.step_ms
