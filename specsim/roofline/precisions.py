"""The words people use for stored numbers: `-AWQ`, `GPTQ-Int4`, `q4_K_M`, `int8 wo`.

A word settles a row of `formats.FORMATS` and, where it has one, its own bits a weight:
scales and unquantised parts included, as published with the format.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from specsim.roofline.formats import FORMATS, GGUF, Format


@dataclass(frozen=True)
class Precision:
    """Numbers as a word names them: a format, and bits a weight where it fixes them."""

    format: str
    bits: float | None = None


WORDS: tuple[tuple[str, str, float | None], ...] = (
    # words (regular expression), format, bits a weight where they differ from its own
    (r"nvfp4|fp4|w4a4", "nvfp4", None),
    (r"mxfp4", "mxfp4", None),
    (r"mxfp8|fp8([- _.]?(block|static|dynamic|tensor|e4m3|e5m2))*|e4m3|w8a8[- _]fp8|"
     r"float8\w*", "fp8", None),
    *((kind, kind, None) for kind in (
        "iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq4_xs",
        "iq4_nl", "q3_k_s", "q3_k_l", "q4_0", "q4_1", "q4_k_s", "q5_0", "q5_1",
        "q5_k_s")),
    (r"iq2(_m)?", "iq2_s", 2.7),
    (r"iq3(_xs|_m)?", "iq3_s", None),
    (r"iq4", "iq4_xs", None),
    (r"q2(_k(_\w+)?)?", "q2_k", None),
    (r"q3(_k(_\w+)?)?|q3f16\w*", "q3_k_m", None),
    (r"q4(_k(_\w+)?)?", "q4_k_m", None),
    (r"q5(_k(_\w+)?)?", "q5_k_m", None),
    (r"q6(_k(_\w+)?)?", "q6_k", None),
    (r"q8([_.]?0|_k(_\w+)?|_1)?", "q8_0", None),
    (r"mxfp6|fp6(_\w+)?", "fp6", None),
    (r"int8[- _]?dq", "int8dq", None),
    (r"int8[- _]?wo|autoquant(?![- ]int4)", "int8wo", None),
    (r"gptq[- _]?(int)?8([- _]?bits?)?|int8|i8|8[- ]?bits?|"
     r"w8a8([- _]int8)?|w8a16|llm\.int8(\(\))?|smoothquant", "int8", None),
    (r"(gptq|awq)[- _]?(int)?3([- _]?bits?)?|int3|3[- ]?bits?|w3", "int3", None),
    (r"int2|2[- ]?bits?|w2", "int2", None),
    (r"uintx(-\d+)*", "uintx", None),
    (r"u?int4([- _]?wo(-\d+)?|[- _]?g(32|64))|q4f16(_\d)?|"
     r"autoquant[- _]int4|tinygemm", "int4wo", None),
    (r"nf4([- _]?dq)?|bnb[- _]?4bit", "nf4", None),
    (r"awq([- _]?(int)?4b?)?|gptq([- _]?(int)?4b?)?|(sparse-)?marlin|autoround|hqq|"
     r"omniquant|squeezellm|w4a16|w4a8\w*|w4|u?int4([- _]?w4a16)?|i4|4[- ]?bits?",
     "int4", None),
    (r"bf16|bfloat16", "bf16", None),
    (r"fp16|f16|float16|half|16[- ]?bits?", "fp16", None),
    (r"fp32|f32|float32|tf32", "fp32", None),
)  # fmt: skip
"""The first row whose words are found whole in a text names its format: of several
formats in a text (`nvfp4 MoE + bf16 attention`) the narrow one."""

NUMBERED = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)[- ]?bpw", re.IGNORECASE)
_EDGE = r"(?<![A-Za-z0-9.]){}(?![A-Za-z0-9])"


@lru_cache(1)
def _rows() -> list[tuple[re.Pattern[str], Precision]]:
    return [
        (re.compile(_EDGE.format(f"(?:{words})"), re.IGNORECASE), Precision(form, bits))
        for words, form, bits in WORDS
    ]


@lru_cache(10_000)
def named(text: str) -> Precision | None:
    """What a text says about its numbers, None if nothing.

    >>> named("Qwen3-8B-AWQ"), named("Mixtral-8x7B EXL2 3.5bpw").bits
    (Precision(format='int4', bits=None), 3.5)
    """
    if found := NUMBERED.search(text):
        return Precision("exl2", float(found[1]))
    return next((made for words, made in _rows() if words.search(text)), None)


def of_bits(bits: float) -> Precision:
    """The format nearest to so many bits a weight, which it then has.

    >>> of_bits(4.25)
    Precision(format='int4', bits=4.25)
    """
    ends = ((6.2, "int4"), (11, "int8"), (22, "bf16"))
    return Precision(next((form for most, form in ends if bits < most), "fp32"), bits)


@lru_cache(10_000)
def form(words: str, bits: float | None = None) -> Format | None:
    """The format of these words, at `bits` a weight if it is a narrow one; or None.

    Words that name a kind of llama.cpp's files settle the bits, which are of all of a
    file where they are given. Bits alone settle a format too.

    >>> form("Q4_K_M", 4.9).bytes * 8, form("AWQ", 4.25).bytes * 8, form("", 4.25).name
    (4.8, 4.25, 'int4')
    """
    if words in FORMATS and bits is None:
        return FORMATS[words]
    said = named(words)
    if said is None:
        if not bits:
            return None
        said = of_bits(bits)
    row = FORMATS[said.format]
    known = said.bits or bits
    if not known or row.bytes >= 2 or (row in GGUF and not said.bits):
        return row
    return replace(row, bytes=known / 8)


@lru_cache(10_000)
def without(text: str) -> str:
    """The text less every word about numbers, and less what such a word leaves behind.

    >>> without("DeepSeek-R1-NVFP4"), without("Qwen3-4B-GPTQ-Int4 g128")
    ('DeepSeek-R1', 'Qwen3-4B')
    """
    for words in [NUMBERED, *(words for words, _ in _rows()), *_LEAVINGS]:
        text = words.sub(" ", text)
    return re.sub(r"[\s_\-:./]*(\s[\s_\-:./]*|$)", " ", text).strip(" -_:.")


_LEAVINGS = [
    re.compile(_EDGE.format(words), re.IGNORECASE)
    for words in (r"g\d+", "gguf", "exl[23]", "bnb", "kv", "dynamic", "quantized",
                  "int", "mlx", "ggml", "weight[- ]only", "wo", "dq", r"a\d+bf?16")
]  # fmt: skip
