"""How numbers are stored, and what reading them costs beside bytes."""

from dataclasses import dataclass

from specsim.roofline.constants import TABLES, Spread


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
