"""How numbers are stored, and what reading them costs beside bytes."""

from dataclasses import dataclass, replace
from functools import cache

from specsim.roofline.constants import DECODED, PLAIN, SERVED, TABLES, Spread


@dataclass(frozen=True)
class Format:
    """How a number is stored: bytes each, and what reading it costs beside bytes.

    bytes:      of a weight inside the layers, scales included.
    kernel_us:  added to the fixed time of a product (scales, activations quantised).
    bandwidth:  factor on e.
    peak:       column of gpus.csv with the peak rate of a product; None where weights
                are widened to 16 bits on any hardware.
    spread:     engines differ in their kernels for it.
    unpack:     instructions that widen one weight; they run beside the stream of bytes,
                which is quicker on most hardware and slower on some.
    ends:       bytes of a weight of embedding and head; None: they stay in 16 bits.
    """

    name: str
    bytes: float
    kernel_us: float
    bandwidth: float
    peak: str | None
    spread: Spread
    source: str
    unpack: float = 0.0
    ends: float | None = None


EIGHT, FOUR = Spread(0.92, 1.15), Spread(0.75, 1.25)
UNPACKED = Spread(0.94, 1.12)


def _ggml(name: str, bits: float, unpack: float, ends: float = 6.5625) -> Format:
    """A kind of llama.cpp's files: its head has more bits than its layers."""
    source = (
        f"ggml-common.h block sizes, llama-quant.cpp mixtures; unpacking: {DECODED}"
    )
    return Format(name, bits / 8, 0, 1, None, UNPACKED, source, unpack, ends / 8)


MADE = (
    Format("fp32", 4, 0, 1, "fp32_tflops", PLAIN, "as 16-bit, twice the bytes"),
    Format("bf16", 2, 0, 1, "bf16_tflops", PLAIN, "the families' own constants"),
    Format("fp16", 2, 0, 1, "fp16_fp32acc_tflops", PLAIN,
           "the families' own constants"),
    Format("fp8", 1, 2.7, 0.93, "fp8_tflops", EIGHT,
           f"{TABLES}: H100 fp8 6.0 us, e 0.80, activations quantised on the way"),
    Format("int8", 1, 4, 1, None, UNPACKED,
           f"{TABLES}: A100 int8 weight-only, 9 us, e 0.8; unpacking: {DECODED}", 5.6),
    Format("int8wo", 1, 0, 1, None, UNPACKED,
           f"torchao and gpt-fast, head included, compiled; unpacking: {DECODED}",
           3.4, 1),
    Format("int8dq", 1, 0, 1, None, UNPACKED,
           "torchao, activations quantised on the way, not made for single tokens; "
           f"unpacking: {DECODED}", 370, 1),
    Format("uintx", 0.5625, 0, 1, None, UNPACKED,
           f"torchao, any number of bits, 16-bit scale per 32; unpacking: {DECODED}",
           64, 0.5625),
    Format("fp6", 0.75, 4, 1, None, UNPACKED, f"unpacking: {DECODED}", 4.9, 0.75),
    Format("int4", 0.53125, 4, 1, None, UNPACKED,
           f"16-bit scale per 64; AWQ, GPTQ, Marlin; unpacking: {DECODED}", 2.8),
    Format("int4wo", 0.5625, 0, 1, None, UNPACKED,
           f"16-bit scale per 32, head included: tinygemm, MLC; unpacking: {DECODED}",
           5.8, 0.5625),
    Format("nf4", 0.515, 4, 1, None, UNPACKED,
           "QLoRA, arXiv 2305.14314: 0.127 bits of scales doubly quantised; unpacking: "
           "a guess, table look-ups", 10),
    Format("int3", 0.406, 4, 1, None, UNPACKED, "as int4; 16-bit scale per 64", 2),
    Format("int2", 0.281, 4, 1, None, UNPACKED,
           f"16-bit scale per 64; unpacking, by look-ups of T-MAC: {DECODED}", 0.97),
    Format("exl2", 0.5, 0, 1, None, UNPACKED,
           f"exllamav2, head in 6 bits; unpacking: {DECODED}", 2.2, 0.75),
    Format("mxfp4", 0.53125, 4.4, 0.85, "fp4_tflops", FOUR,
           "as nvfp4; 8-bit scale per 32"),
    Format("nvfp4", 0.5625, 4.4, 0.85, "fp4_tflops", FOUR,
           f"{TABLES}: B200 nvfp4, 5-10 us, e 0.62-0.77; 8-bit scale per 16"),
)  # fmt: skip

GGUF = (
    *(_ggml(f"iq{kind}", bits, 20) for kind, bits in (
        ("1_s", 1.5625), ("1_m", 1.75), ("2_xxs", 2.0625), ("2_xs", 2.3125),
        ("2_s", 2.5625), ("3_xxs", 3.0625), ("3_s", 3.4375))),
    _ggml("iq4_xs", 4.25, 8), _ggml("iq4_nl", 4.5, 8),
    _ggml("q2_k", 2.94, 9.5), _ggml("q3_k_s", 3.4375, 21), _ggml("q3_k_m", 3.84, 21),
    _ggml("q3_k_l", 4.19, 21), _ggml("q4_0", 4.5, 5.3), _ggml("q4_1", 5.0, 4.8),
    _ggml("q4_k_s", 4.54, 6.5), _ggml("q4_k_m", 4.80, 6.5), _ggml("q5_0", 5.5, 7.9),
    _ggml("q5_1", 6.0, 8), _ggml("q5_k_s", 5.5, 8), _ggml("q5_k_m", 5.65, 8),
    _ggml("q6_k", 6.5625, 10), _ggml("q8_0", 8.5, 4, 8.5),
)  # fmt: skip
"""Bits a weight inside the layers of Llama-3-8B, as mixed: Q4_K_M has Q6_K in half of
its value and down projections, Q2_K has Q3_K in its output and down projections."""

FORMATS = {row.name: row for row in (*MADE, *GGUF)}

BLOCKS_US = 9.0
"""What fp8 with a scale to every block adds to a product: the tokens' own scales are
found by a kernel of its own (`SERVED`)."""


@cache
def blocked(form: Format) -> Format:
    """The same as mixtures are published in it: fp8 with a scale to every block."""
    if form.name != "fp8":
        return form
    return replace(form, kernel_us=BLOCKS_US, source=f"{form.source}; blocks: {SERVED}")
