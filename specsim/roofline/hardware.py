"""How close kernels come to the datasheet, by architecture of GPU.

A kernel that reads `bytes` and computes `flops` takes

    fixed time + sqrt((bytes / (e * bandwidth))^2 + (flops / (c * peak))^2).

The pairs (fixed time, e) were read off public tables of measured kernels, by a straight
line through time against bytes at 8 tokens or fewer (relative error 1-10 % per shape);
c is what large matrix products reach.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.roofline.constants import (
    DECODED,
    MOE_US,
    PROFILES,
    SERVED,
    TABLES,
    TILE,
    Spread,
)


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
    mixture_us: routing, permutation and reduction of one mixture layer (us).
    integer: instructions that unpack weights, a second, in units of the fp32 FLOP rate.
    plain:   the same for weights of 16 bits in hand-written products; None: alike.
    tile:    tokens that products of a native format are rounded up to.
    factors: where kernels were measured, by how much products of so many tokens depart
        from the form, as (tokens, factor); they replace the rounding to whole tiles.
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
    mixture_us: float = MOE_US
    integer: float = 1.0
    plain: float | None = None
    tile: int = TILE
    factors: tuple[tuple[float, float], ...] = ()


def factor(factors: tuple[tuple[float, float], ...], tokens: Any) -> Any:
    """Of a product of so many tokens; between those measured on a logarithmic scale.

    >>> round(float(factor(((1, 1.0), (4, 3.0)), 2)), 6)
    2.0
    """
    at, measured = np.transpose(factors)
    return np.interp(np.log(np.maximum(tokens, 1.0)), np.log(at), measured)


KNOWN, GUESSED = Spread(0.9, 1.2), Spread(0.7, 1.5)
DECODES = Spread(0.92, 1.12)

FAMILIES = (
    Family("A100", ("Ampere GA100",), 5.4, 0.81, 14, 0.78, 3, 0.85, 0.8, 0.8, DECODES,
           f"{TABLES}: A100-SXM, three engines, e 0.74-0.79, 5.1-5.9 us; e: {DECODED}"),
    Family("H20", ("Hopper H20",), 3.3, 0.85, 11, 0.88, 2.5, 0.9, 0.85, 0.85, DECODES,
           "as Hopper, of which it has the memory and a seventh of the arithmetic: it "
           f"binds even one token, in tiles of 64; c: {DECODED}",
           integer=0.5, tile=64),
    Family("Hopper", ("Hopper",), 3.3, 0.86, 11, 0.88, 2.5, 0.78, 0.57, 0.57, KNOWN,
           f"{TABLES}: H100 and H200, e 0.84-0.89, 3.2-3.8 us; mixtures: {SERVED}",
           mixture_us=18, integer=0.5),
    Family("Blackwell", ("Blackwell GB100", "Blackwell Ultra"),
           3.6, 0.8, 10.5, 0.9, 2.5, 0.66, 0.46, 0.4, KNOWN,
           f"{TABLES}: B200, GB200, B300, e 0.75-0.84, 3.2-3.9 us; mixtures: {SERVED}",
           mixture_us=0.5, integer=0.5),
    Family("GeForce 40", ("Ada AD10x",), 3, 0.93, 9, 0.85, 2.3, 0.8, 0.6, 0.6, DECODES,
           f"{PROFILES}: RTX 4090, e 0.87-0.95, about 3 us; e: {DECODED}",
           integer=0.5),
    Family("Ada with ECC", ("Ada with ECC",), 7, 0.86, 9, 0.8, 2.5, 0.6, 0.45, 0.45,
           DECODES, f"{TABLES}: L40S beyond its L2 cache, e 0.84, 6.8-8.9 us",
           integer=0.5),
    Family("Ada", ("Ada",), 7, 0.95, 9, 0.85, 2.5, 0.6, 0.45, 0.45, DECODES,
           f"as L40S without error correction in its memory; e: {DECODED}",
           integer=0.5),
    Family("RTX Blackwell", ("Blackwell GB20",),
           6.5, 0.87, 10, 0.83, 2.5, 0.8, 0.6, 0.6, DECODES,
           f"{TABLES}: RTX PRO 6000, e 0.84, 5.0-7.5 us"),
    Family("Ampere with ECC", ("Ampere with ECC",),
           5, 0.84, 12, 0.78, 3, 0.6, 0.5, 0.5, DECODES,
           "Vidur's profile of an A40, e 0.80", integer=0.5),
    Family("GeForce 30", ("Ampere GA10x",),
           5, 0.96, 12, 0.78, 3, 0.6, 0.5, 0.5, DECODES, DECODED, integer=0.5),
    Family("Ampere", ("Ampere GA10",), 5, 0.95, 12, 0.78, 3, 0.6, 0.5, 0.5, DECODES,
           f"RTX A6000 and other workstations; e: {DECODED}", integer=0.5),
    Family("Jetson", ("Ampere (Orin)", "Blackwell (Thor)", "Blackwell (GB10)"),
           8, 0.75, 14, 0.7, 4, 0.6, 0.5, 0.5, GUESSED,
           "a guess: memory shared with the host, low clocks", integer=0.5),
    Family("Turing", ("Turing",), 7, 0.82, 15, 0.75, 4, 0.7, 0.6, 0.6, GUESSED,
           "a guess between Volta and Ampere"),
    Family("Volta", ("Volta",), 7, 0.82, 15, 0.75, 4, 0.75, 0.6, 0.6, GUESSED,
           "a guess: HBM2 as on A100, older kernels"),
    Family("P100", ("Pascal GP100",), 8, 0.83, 15, 0.7, 5, 0.7, 0.7, 0.7, GUESSED,
           "as Pascal; four products take eight instructions, where others have one",
           integer=0.125),
    Family("Pascal", ("Pascal",), 8, 0.83, 15, 0.7, 5, 0.7, 0.7, 0.7,
           Spread(0.8, 1.4), DECODED),
    Family("CDNA", ("CDNA", "GCN5"), 8, 0.7, 15, 0.7, 5, 0.55, 0.45, 0.4,
           Spread(0.8, 1.3), f"{DECODED}: half a MI250X, no kernel tables"),
    Family("RDNA", ("RDNA",), 6, 0.84, 14, 0.7, 3, 0.5, 0.4, 0.4, Spread(0.8, 1.3),
           DECODED),
    Family("Apple", ("Apple GPU",), 8, 0.95, 14, 0.25, 5, 0.6, 0.6, 0.6,
           Spread(0.8, 1.3), DECODED, integer=0.5),
    Family("CPU", ("CPU", "Zen", "Sapphire", "Emerald", "Granite", "Ice Lake",
                   "Cascade", "Raptor", "Neoverse"),
           2, 0.7, 5, 0.7, 2, 0.8, 0.8, 0.8, Spread(0.75, 1.6),
           f"e: a guess, DDR4 and DDR5 streams; unpacking: {DECODED}",
           plain=6),
)  # fmt: skip

GENERIC = Family(
    "generic", (), 6, 0.75, 14, 0.75, 3, 0.6, 0.5, 0.4, GUESSED,
    "a guess between the measured families and llama.cpp's e of 0.62-0.85",
)  # fmt: skip
