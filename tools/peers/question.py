"""What a simulator is asked, and what it answers.

Standard library only: adapters read it in environments that have no specsim.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["decode", "prefill", "served"]


class Cannot(Exception):
    """The simulator cannot express the question; the message says what of it."""


@dataclass(frozen=True)
class Shape:
    """A model's shape; fields as in the columns of models.csv."""

    hf_id: str
    family: str
    params_total: int
    params_active: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int | None
    mlp_matrices: int
    vocab: int
    tied_embeddings: bool
    attention: str
    mla_kv_lora_rank: int | None
    mla_q_lora_rank: int | None
    mla_qk_nope: int | None
    mla_qk_rope: int | None
    mla_v_dim: int | None
    linear_attn_layers: int | None
    moe_experts: int | None
    moe_topk: int | None
    moe_shared: int | None
    moe_intermediate: int | None
    moe_first_dense: int | None
    max_context: int | None
    native_dtype: str

    @property
    def plain(self) -> bool:
        """Every layer has full attention with a cache of keys and values."""
        return self.attention in ("MHA", "GQA", "MQA")

    @property
    def expert_width(self) -> int:
        """Inner width of the MLP, of one expert in a mixture."""
        return self.moe_intermediate or self.intermediate or 0


@dataclass(frozen=True)
class Card:
    """A GPU's datasheet; fields as in the columns of gpus.csv."""

    name: str
    mem_gb: float
    mem_bw_gbs: float
    fp32_tflops: float | None
    bf16_tflops: float | None
    fp16_fp32acc_tflops: float | None
    fp8_tflops: float | None
    int8_tops: float | None
    ic_per_dir_gbs: float | None
    pcie_per_dir_gbs: float | None
    tdp_w: float | None

    @property
    def half_tflops(self) -> float:
        """Peak rate on 16-bit numbers; CPUs and old GPUs have none."""
        if rate := self.bf16_tflops or self.fp16_fp32acc_tflops:
            return rate
        raise Cannot("a device without 16-bit arithmetic")

    @property
    def link_gbs(self) -> float:
        """To the other GPUs, in one direction."""
        return self.ic_per_dir_gbs or self.pcie_per_dir_gbs or 0


@dataclass(frozen=True)
class Question:
    """One time to predict.

    kind:    decode: a step of `batch` sequences with `prompt` tokens cached each;
             prefill: all tokens of the prompts; served: a steady load of `batch`
             sequences, each of `prompt` and then `output` tokens.
    gpus:    degree of tensor parallelism.
    stages:  GPUs that hold a run of layers each and work one after the other.
    weights: a format: fp32, fp16, bf16, fp8, int8, int4, nvfp4, mxfp4; "" for others.
    stored:  the weights in the measurement's own words; experts: its experts'.
    engine:  in the measurement's own words; "" where none is meant.
    """

    kind: Kind
    model: Shape
    gpu: Card
    prompt: int
    output: int = 1
    batch: int = 1
    gpus: int = 1
    stages: int = 1
    weights: str = "bf16"
    stored: str = ""
    experts: str = ""
    engine: str = ""

    @property
    def step(self) -> "Question":
        """The decode step of a load half way through its output."""
        middle = self.prompt + self.output // 2
        return dataclasses.replace(self, kind="decode", prompt=middle)

    @property
    def first(self) -> "Question":
        """The prefill of one prompt of a load."""
        return dataclasses.replace(self, kind="prefill", batch=1)

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, asked: dict[str, Any]) -> "Question":
        """The inverse of `as_dict`."""
        parts = {"model": Shape(**asked["model"]), "gpu": Card(**asked["gpu"])}
        return cls(**asked | parts)


@dataclass(frozen=True)
class Answer:
    """Milliseconds: of the step, of the prefill, or per output token of a load."""

    ms: float
    ttft_ms: float | None = None


def looked_up(kind: str, name: str, table: dict[str, str]) -> str:
    """The simulator's name for it; Cannot where it has none."""
    if name not in table:
        raise Cannot(f"{kind} {name or 'of another kind'}")
    return table[name]


def composed(asked: Question, answer: Callable[[Question], Answer]) -> Answer:
    """A load for simulators that know none: a lone step, and a lone prefill."""
    step = answer(asked.step)
    try:
        return Answer(step.ms, answer(asked.first).ms)
    except Cannot:
        return step
