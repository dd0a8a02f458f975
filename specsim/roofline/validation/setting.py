"""The words of a row: which model, which formats of numbers, which engine."""

import re
from dataclasses import dataclass
from functools import lru_cache

from specsim.roofline import doubts, engines, names, precisions
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.engines import ENGINES, Engine
from specsim.roofline.formats import FORMATS, Format
from specsim.roofline.operation import Numbers
from specsim.roofline.validation import stand_ins
from specsim.roofline.validation.cells import Skip


@dataclass(frozen=True)
class Known:
    """A model a row names; flags say what was assumed of it."""

    model: Model
    flags: tuple[str, ...] = ()


@lru_cache(10_000)
def model(name: str, params_b: float | None, active_b: float | None) -> Known:
    """The row a name means, else a stand-in of the size given, or said in the name."""
    if not re.search(r"[A-Za-z]", name):
        raise Skip("no model named", name)
    if row := names.listed_model(name):
        return Known(row)
    total, active = stand_ins.sizes(name)
    if not (size := params_b or total):
        raise Skip("unknown model of unknown size", name)
    made = stand_ins.model(name, size, active_b or active)
    return Known(made, ("model stand-in",))


def numbers(
    model: Model, weights: str, bits: float | None, kv: str, experts: str = ""
) -> Numbers:
    """Formats as words and bits say; the model's own where they say nothing.

    A mixture whose own format is a 4-bit one (gpt-oss) keeps all but its experts in 16
    bits, whatever 4-bit format the words name; others do if the words say so.
    """
    parts = _parts(weights or model.native_dtype)
    linear = stored(parts["linear"], bits)
    inner = stored(experts or parts["experts"], bits)
    own = stored(model.native_dtype, None)
    if model.moe_experts and own.bytes < 1 and linear.bytes < 1:
        linear = FORMATS["bf16"]
    wide = "fp32" if linear.name == "fp32" else "bf16"
    return Numbers(linear, inner, stored(kv or wide, None))


def _parts(words: str) -> dict[str, str]:
    """`nvfp4 MoE + bf16 attention`: words of the experts and words of the rest."""
    said = dict.fromkeys(("linear", "experts"), words)
    for part in re.split(r"[+;]", words):
        if re.search(r"attention|dense|rest", part, re.IGNORECASE):
            said["linear"] = part
        elif re.search(r"moe|expert", part, re.IGNORECASE):
            said["experts"] = part
    return said


@lru_cache(10_000)
def stored(words: str, bits: float | None) -> Format:
    """The format of these words, at so many bits a weight if it is a narrow one.

    Skip where neither words nor bits settle one.
    """
    if (form := precisions.form(words, bits)) is None:
        raise Skip("unknown number format", words)
    return form


def engine(words: str, version: str = "") -> Engine:
    """The engine whose name the words contain, of its version; else the typical one.

    >>> engine("NIM/TensorRT-LLM 1.8.0").name, engine("SGLang", "0.4.6").name
    ('trtllm', 'sglang-0.4')
    """
    return engines.named(f"{words} {version}") or ENGINES["typical"]


def squeezed(words: str) -> str:
    """Letters and digits alone, lower case."""
    return re.sub(r"[^a-z0-9]", "", words.lower())


def calibrated(made: Deployment) -> bool:
    """Whether its engine was measured, on this architecture."""
    return made.engine.name != "typical" and not doubts.unseen(made)
