"""aiconfigurator (NVIDIA): tables of measured kernels, interpolated.

Asked in its default mode, SILICON, for its default version of the engine, TensorRT-LLM
where the engine is not one of its three. Models that it does not bundle are described
by a config.json.
"""

import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from aiconfigurator.cli.api import cli_estimate
from aiconfigurator.sdk.common import DefaultHFModels

from tools.peers.config import huggingface
from tools.peers.question import Answer, Question, Shape, looked_up

warnings.simplefilter("ignore")

SYSTEMS = {
    "A100-SXM4-80GB": "a100_sxm",
    "A100-PCIe-80GB": "a100_pcie",
    "A30": "a30",
    "L4": "l4",
    "L40S": "l40s",
    "H100-SXM5-80GB": "h100_sxm",
    "H100-PCIe-80GB": "h100_pcie",
    "H200-SXM5-141GB": "h200_sxm",
    "B200-SXM-180GB": "b200_sxm",
    "B300-SXM-288GB": "b300_sxm",
    "GB200-186GB": "gb200",
    "GB300-288GB": "gb300",
    "RTX-PRO-6000-Blackwell-Server": "rtx_pro_6000_server",
    "Arc-Pro-B60-24GB": "b60",
}
MODES = {
    "fp16": "bfloat16",
    "bf16": "bfloat16",
    "fp8": "fp8",
    "int8": "int8_wo",
    "int4": "int4_wo",
    "nvfp4": "nvfp4",
    "mxfp4": "w4a16_mxfp4",
}
STEPS = {"decode": "static_gen", "prefill": "static_ctx", "served": "agg"}
BACKENDS = "vllm", "sglang", "trtllm"

_configs = tempfile.TemporaryDirectory()


def answer(asked: Question) -> Answer:
    made = cli_estimate(
        model(asked.model),
        looked_up("GPU", asked.gpu.name, SYSTEMS),
        mode=STEPS[asked.kind],
        backend_name=backend(asked.engine),
        isl=asked.prompt,
        osl=asked.output if asked.kind == "served" else 2,
        batch_size=asked.batch,
        tp_size=asked.gpus,
        pp_size=asked.stages,
        **modes(asked),
    )
    if asked.kind == "prefill":
        return Answer(float(made.ttft))
    load = asked.kind == "served"
    return Answer(float(made.tpot), float(made.ttft) if load else None)


def backend(engine: str) -> str:
    words = engine.lower().replace("tensorrt-llm", "trtllm")
    return next((name for name in BACKENDS if name in words), "trtllm")


def modes(asked: Question) -> dict[str, Any]:
    """Number formats and how experts are cut; its own choice for a model's own."""
    experts = {"moe_tp_size": asked.gpus, "moe_ep_size": 1}
    cut = experts if asked.model.moe_experts else {}
    if asked.model.native_dtype == asked.weights not in ("bf16", "fp16"):
        return cut
    mode = looked_up("weights", asked.weights, MODES)
    named = {"gemm_quant_mode": asked.stored if asked.kind == "served" else mode}
    if asked.model.moe_experts:
        named["moe_quant_mode"] = asked.experts if asked.kind == "served" else mode
    return cut | {name: word or mode for name, word in named.items()}


def model(shape: Shape) -> str:
    """The name of a bundled model, or of a directory with its config.json."""
    bundled = {_bare(name): name for name in DefaultHFModels}
    return bundled.get(_bare(shape.hf_id)) or _written(shape)


def _bare(name: str) -> str:
    return name.lower().replace("meta-llama-3", "llama-3")


@cache
def _written(shape: Shape) -> str:
    home = Path(_configs.name) / shape.hf_id.replace("/", "--")
    home.mkdir()
    (home / "config.json").write_text(json.dumps(huggingface(shape)))
    return str(home)
