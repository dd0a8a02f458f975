"""How a checkpoint stores its weights, from its config.json."""

from collections.abc import Mapping
from typing import Any

from specsim.roofline.fields import Fields, short

QUANTISED = {"fp8": "fp8", "fbgemm_fp8": "fp8", "mxfp4": "mxfp4"}
INTEGERS = "gptq", "awq"
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def stored(given: Fields) -> str:
    """The name in `constants.FORMATS` of what the weights are stored as."""
    if (how := given.get("quantization_config")) is not None:
        return _quantised(given, how)
    name = given.get("torch_dtype") or given.get("dtype") or "bfloat16"
    if not isinstance(name, str) or name not in DTYPES:
        known = ", ".join(DTYPES)
        raise given.bad(f"torch_dtype is {short(name)}; understood are {known}")
    return DTYPES[name]


def _quantised(given: Fields, how: object) -> str:
    if not isinstance(how, dict):
        raise given.bad(f"quantization_config is {short(how)}; it must be an object")
    method = how.get("quant_method")
    if method in INTEGERS:
        return f"int{_bits(given, how)}"
    if isinstance(method, str) and method in QUANTISED:
        return QUANTISED[method]
    raise given.bad(
        f"quantization_config.quant_method is {short(method)}; understood are "
        f"{', '.join([*INTEGERS, *QUANTISED])}"
    )


def _bits(given: Fields, how: Mapping[str, Any]) -> int:
    """Bits of a weight; the size of the groups that share a scale is checked too."""
    bits, group = how.get("bits"), how.get("group_size", -1)
    if type(bits) is not int or bits not in (4, 8):
        raise given.bad(
            f"quantization_config.bits is {short(bits)}; understood are 4 and 8"
        )
    if type(group) is not int or not (group == -1 or group > 0):
        raise given.bad(
            f"quantization_config.group_size is {short(group)}; it must be a whole "
            "number from 1 on, or -1"
        )
    return bits
