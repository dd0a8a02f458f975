"""Every constant of the model that is neither a datasheet's nor a model's, with source.

A kernel that reads `bytes` and computes `flops` on one GPU takes

    fixed time + max(bytes / (e * bandwidth), flops / (c * peak)).

The pairs (fixed time, e) were read off public tables of measured kernels, by a straight
line through time against bytes at 8 tokens or fewer (relative error 1-10 % per shape);
c is what large matrix products reach. None is fitted to a measured decode step.
"""

from dataclasses import dataclass

TABLES = "kernel tables of aiconfigurator-core 0.12 (NVIDIA, Apache-2.0)"
PROFILES = "LLMServingSim 2.0 vLLM profiles (KAIST, MIT)"


@dataclass(frozen=True)
class Spread:
    """A measured step lies between `low` and `high` times the predicted kernels."""

    low: float
    high: float

    def __mul__(self, other: "Spread") -> "Spread":
        """Both doubts at once."""
        return Spread(self.low * other.low, self.high * other.high)


@dataclass(frozen=True)
class Family:
    """How close GPUs of one architecture come to their datasheet.

    arch:       what the `arch` column of gpus.csv starts with.
    kernel_us:  fixed time of a matrix product in a CUDA graph (us).
    bandwidth:  e of a matrix product over 16-bit weights.
    attention_us, attention_bandwidth: the same for the decode attention kernel.
    small_us:   a norm, rotary embedding or activation (us).
    compute, compute_8bit, compute_4bit: c at the number format of the product.
    """

    name: str
    arch: tuple[str, ...]
    kernel_us: float
    bandwidth: float
    attention_us: float
    attention_bandwidth: float
    small_us: float
    compute: float
    compute_8bit: float
    compute_4bit: float
    spread: Spread
    source: str


KNOWN, GUESSED = Spread(0.9, 1.2), Spread(0.7, 1.5)

FAMILIES = (
    Family("A100", ("Ampere GA100",), 5.4, 0.77, 14, 0.78, 3, 0.85, 0.8, 0.8, KNOWN,
           f"{TABLES}: A100-SXM, three engines, e 0.74-0.79, 5.1-5.9 us"),
    Family("Hopper", ("Hopper",), 3.3, 0.86, 11, 0.88, 2.5, 0.78, 0.57, 0.57, KNOWN,
           f"{TABLES}: H100 and H200, e 0.84-0.89, 3.2-3.8 us"),
    Family("Blackwell", ("Blackwell GB100", "Blackwell Ultra"),
           3.6, 0.8, 10.5, 0.9, 2.5, 0.66, 0.46, 0.4, KNOWN,
           f"{TABLES}: B200, GB200, B300, e 0.75-0.84, 3.2-3.9 us"),
    Family("GeForce 40", ("Ada AD10x",), 3, 0.92, 9, 0.85, 2.3, 0.8, 0.6, 0.6, KNOWN,
           f"{PROFILES}: RTX 4090, e 0.87-0.95, about 3 us"),
    Family("Ada", ("Ada",), 7, 0.84, 9, 0.8, 2.5, 0.6, 0.45, 0.45, KNOWN,
           f"{TABLES}: L40S beyond its L2 cache, e 0.84, 6.8-8.9 us"),
    Family("RTX Blackwell", ("Blackwell GB20",),
           6.5, 0.84, 10, 0.83, 2.5, 0.8, 0.6, 0.6, KNOWN,
           f"{TABLES}: RTX PRO 6000, e 0.84, 5.0-7.5 us"),
    Family("Ampere GA10x", ("Ampere GA10",), 5, 0.8, 12, 0.78, 3, 0.6, 0.5, 0.5, KNOWN,
           "Vidur's profile of an A40, e 0.80; llama.cpp on 30-series, e 0.75-0.85"),
    Family("Apple", ("Apple",), 8, 0.7, 14, 0.6, 5, 0.6, 0.6, 0.6, Spread(0.75, 1.3),
           "llama.cpp fp16 on M1 Max, e 0.69"),
)  # fmt: skip

GENERIC = Family(
    "generic", (), 6, 0.75, 14, 0.75, 3, 0.6, 0.5, 0.4, GUESSED,
    "a guess between the measured families and llama.cpp's e of 0.62-0.85",
)  # fmt: skip


@dataclass(frozen=True)
class Format:
    """How a number is stored: bytes each, and what reading it costs beside bytes.

    kernel_us:  added to the fixed time of a product (scales, unpacking).
    bandwidth:  factor on e.
    peak:       column of gpus.csv with the peak rate of a product; None where weights
                are widened to 16 bits on any hardware.
    spread:     engines differ in their kernels for it.
    """

    name: str
    bytes: float
    kernel_us: float
    bandwidth: float
    peak: str | None
    spread: Spread
    source: str


PLAIN, EIGHT, FOUR = Spread(1, 1), Spread(0.92, 1.15), Spread(0.75, 1.25)

FORMATS = {
    row.name: row
    for row in [
        Format("fp32", 4, 0, 1, "fp32_tflops", PLAIN, "as 16-bit, twice the bytes"),
        Format("bf16", 2, 0, 1, "bf16_tflops", PLAIN, "the families' own constants"),
        Format("fp16", 2, 0, 1, "fp16_fp32acc_tflops", PLAIN,
               "the families' own constants"),
        Format("fp8", 1, 2.7, 0.93, "fp8_tflops", EIGHT,
               f"{TABLES}: H100 fp8 6.0 us, e 0.80, activations quantised on the way"),
        Format("int8", 1, 4, 1, None, EIGHT,
               f"{TABLES}: A100 int8 weight-only, 9 us, e 0.8"),
        Format("int4", 0.53125, 12, 1, None, FOUR,
               f"{TABLES}: A100 int4 weight-only, 17 us, e 0.8; 16-bit scale per 64"),
        Format("mxfp4", 0.53125, 4.4, 0.85, "fp4_tflops", FOUR,
               "as nvfp4; 8-bit scale per 32"),
        Format("nvfp4", 0.5625, 4.4, 0.85, "fp4_tflops", FOUR,
               f"{TABLES}: B200 nvfp4, 5-10 us, e 0.62-0.77; 8-bit scale per 16"),
    ]
}  # fmt: skip

MIXTURE = Spread(0.85, 1.1)
"""Skewed routing touches 5-15 % fewer experts than independent choices do."""

LACKING = Spread(0.9, 1.3)
"""Weights in a format the hardware lacks: a guess, engines widen them differently."""

UNUSUAL = Spread(0.7, 1.4)
"""Attention that is only approximated: its cache as the table has it, no more."""


@dataclass(frozen=True)
class Link:
    """An all-reduce: a fixed time and a share of the bandwidth, for 2, 4, 8 GPUs."""

    name: str
    alpha_us: tuple[float, float, float]
    bandwidth: tuple[float, float, float]
    source: str


NVLINK = f"{TABLES}: custom kernels in a CUDA graph, 16 KB to 33 MB"
LINKS = {
    "NVLink3": Link("NVLink 3", (5.3, 6.2, 6.6), (0.52, 0.58, 0.57), NVLINK),
    "NVLink4": Link("NVLink 4", (4.5, 4.9, 5.4), (0.57, 0.6, 0.65), NVLINK),
    "NVLink5": Link("NVLink 5", (5, 5.5, 6.5), (0.45, 0.45, 0.5), NVLINK),
    "generic": Link("fabric", (6, 7, 8), (0.5,) * 3, "a guess: NVLink, a bit slower"),
    "PCIe": Link("PCIe", (7, 17, 30), (0.58, 0.24, 0.11),
                 f"{TABLES}: L40S at 16 KB and 2 MB, RTX PRO 6000 at 2 MB"),
}  # fmt: skip
NODE_GPUS = 8
NODE_US = 20.0
NODE_GB_PER_S = 50.0
"""Beyond one board of 8: an assumption, 400 Gb/s a GPU and 20 us more a doubling."""

MOE_US = 15.0
"""Routing, permutation and reduction of one mixture layer. `TABLES`: Qwen3-30B on H100
takes 22 us, on A100 18-25 us, over what its bytes explain, two products included."""

TILE = 16
"""Tensor cores compute whole tiles of 16 tokens, however few there are."""


@dataclass(frozen=True)
class Engine:
    """Host time on top of the kernels, per step (us): low, expected, high.

    per_sequence_us is scheduling and sampling for each sequence of the batch; in the
    typical engine it only raises the high end.
    """

    name: str
    host_us: tuple[float, float, float]
    per_sequence_us: tuple[float, float, float]
    source: str


SLOPE = (25, 35, 45)
ENGINES = {
    row.name: row
    for row in [
        Engine("typical", (0, 100, 1500), (0, 0, 35),
               "from a compiled loop on an idle GPU (gpt-fast) to a server (vLLM)"),
        Engine("vllm", (600, 1200, 2000), SLOPE,
               "regression on served batches, vLLM 0.12-0.19"),
        Engine("sglang", (400, 800, 1200), (0, 0, 35), "regression on served batches"),
        Engine("trtllm", (400, 600, 900), (0, 0, 35), "regression on served batches"),
    ]
}  # fmt: skip

BOARD_SHARE = 0.92
UNIFIED_SHARE = 0.75
RUNTIME_GB = 1.6
COLLECTIVE_GB = 0.4
"""Of a card's memory engines take 0.92 (0.90-0.92 by default); context, graphs and
workspace need 1.6 GB and the buffers of collectives 0.4 GB more (aiconfigurator)."""

ROOM_SHARE = 0.25
"""A machine is roomy when a quarter of its memory is left for KV cache."""
