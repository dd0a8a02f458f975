"""How close kernels come to the datasheet, by architecture of GPU.

A kernel that reads `bytes` and computes `flops` takes

    fixed time + sqrt((bytes / (e * bandwidth))^2 + (flops / (c * peak))^2).

The pairs (fixed time, e) were read off public tables of measured kernels, by a straight
line through time against bytes at 8 tokens or fewer (relative error 1-10 % per shape);
c is what large matrix products reach.
"""

from dataclasses import dataclass

from specsim.roofline.constants import PROFILES, TABLES, Spread


@dataclass(frozen=True)
class Family:
    """How close GPUs of one architecture come to their datasheet.

    arch:       what the `arch` column of gpus.csv starts with.
    kernel_us:  fixed time of a matrix product in a CUDA graph (us).
    bandwidth:  e of a matrix product over 16-bit weights.
    attention_us, attention_bandwidth: the same for the decode attention kernel.
    attention_compute: c of attention over many new tokens.
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
    attention_compute: float = 0.5


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
