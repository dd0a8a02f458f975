"""vllm-sr-sim (fleet_sim): base time plus a time per sequence, for fleet sizing.

Its own GPUs and models where it has them, else from the datasheet and a config.json.
One number format for weights and cache.
"""

from typing import Any

from fleet_sim import (
    HardwareSpec,
    ModelSpec,
    ProfileBuilder,
    ServingConfig,
    get_hardware,
    get_model,
)

from tools.peers.config import huggingface
from tools.peers.question import (
    Answer,
    Cannot,
    Card,
    Question,
    Shape,
    composed,
    looked_up,
)

HARDWARE = {
    "A100-SXM4-80GB": "A100-SXM",
    "H100-SXM5-80GB": "H100-SXM",
    "H200-SXM5-141GB": "H200-SXM",
    "B200-SXM-180GB": "B200-SXM",
    "GB200-186GB": "GB200",
    "GB300-288GB": "GB300",
    "L40S": "L40S",
    "Arc-Pro-B60-24GB": "B60",
}
MODELS = {
    "meta-llama/Llama-3.1-8B": "llama-3.1-8b",
    "meta-llama/Llama-3.1-70B": "llama-3.1-70b",
    "meta-llama/Llama-3.1-405B": "llama-3.1-405b",
    "mistralai/Mistral-7B-v0.1": "mistral-7b",
    "mistralai/Mixtral-8x7B-v0.1": "mixtral-8x7b",
    "Qwen/Qwen3-8B": "qwen3-8b",
    "Qwen/Qwen3-32B": "qwen3-32b",
    "Qwen/Qwen3-30B-A3B": "qwen3-30b-a3b",
    "Qwen/Qwen3-235B-A22B": "qwen3-235b-a22b",
    "deepseek-ai/DeepSeek-V3": "deepseek-v3",
    "deepseek-ai/DeepSeek-R1": "deepseek-v3",
}
BYTES = {
    "fp32": "4",
    "fp16": "2",
    "bf16": "2",
    "fp8": "1",
    "int8": "1",
    "int4": "0.5",
    "nvfp4": "0.5",
    "mxfp4": "0.5",
}
CHUNK = 512


def answer(asked: Question) -> Answer:
    if asked.kind == "served":
        return composed(asked, answer)
    if asked.stages > 1:
        raise Cannot("pipeline stages")
    profile = ProfileBuilder().build(
        hardware(asked.gpu),
        model(asked.model),
        ServingConfig(
            tp=asked.gpus,
            dtype_bytes=float(looked_up("weights", asked.weights, BYTES)),
            chunk=CHUNK,
            mean_ctx_tokens=asked.prompt,
        ),
    )
    if asked.kind == "decode":
        seconds = profile.iter_latency(asked.batch, mean_seq_len=asked.prompt)
        return Answer(1000 * seconds)
    chunks = range(0, asked.prompt, CHUNK)
    return Answer(1000 * sum(_chunk(profile, done, asked) for done in chunks))


def _chunk(profile: Any, done: int, asked: Question) -> float:
    new = min(CHUNK, asked.prompt - done)
    return float(profile.prefill_iter_latency(new, done, asked.batch, asked.prompt))


def hardware(card: Card) -> Any:
    """From its catalogue, or from the datasheet."""
    if card.name in HARDWARE:
        return get_hardware(HARDWARE[card.name])
    return HardwareSpec(
        name=card.name,
        mem_bw=card.mem_bw_gbs * 1e9,
        mem_capacity=int(card.mem_gb * 2**30),
        fp16_tc_flops=card.half_tflops * 1e12,
        fp8_tc_flops=(card.fp8_tflops or 0) * 1e12,
        nvlink_bw=(card.ic_per_dir_gbs or 0) * 1e9,
        inter_node_bw=25e9,
        pcie_bw=(card.pcie_per_dir_gbs or 0) * 1e9,
        sm_version=80,
        power=card.tdp_w or 0,
        cost_per_hr=0,
    )


def model(shape: Shape) -> Any:
    """From its catalogue, or by a config.json."""
    if shape.hf_id in MODELS:
        return get_model(MODELS[shape.hf_id])
    return ModelSpec.from_hf_config(huggingface(shape), name=shape.hf_id)
