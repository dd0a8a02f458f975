"""How a config.json says its weights are stored."""

from pathlib import Path
from typing import Any

import pytest

from specsim.errors import Bad
from specsim.roofline import names
from tests.roofline.test_config import LLAMA, written

GPTQ = {"quant_method": "gptq", "bits": 4}
STORED: list[tuple[dict[str, Any], str]] = [
    ({}, "bf16"),
    ({"torch_dtype": None}, "bf16"),
    ({"torch_dtype": None, "dtype": "float32"}, "fp32"),
    ({"quantization_config": None}, "bf16"),
    ({"quantization_config": {"quant_method": "awq", "bits": 4}}, "int4"),
    ({"quantization_config": {"quant_method": "gptq", "bits": 8}}, "int8"),
    ({"quantization_config": GPTQ | {"group_size": 128}}, "int4"),
    ({"quantization_config": GPTQ | {"group_size": -1}}, "int4"),
    ({"quantization_config": {"quant_method": "fp8"}}, "fp8"),
    ({"quantization_config": {"quant_method": "mxfp4"}}, "mxfp4"),
]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"torch_dtype": "int3"}, "torch_dtype is 'int3'"),
    ({"torch_dtype": ["bfloat16"]}, "torch_dtype is ['bfloat16']"),
    ({"quantization_config": "yes"}, "quantization_config is 'yes'; it must be an"),
    ({"quantization_config": False}, "quantization_config is False"),
    ({"quantization_config": {}}, "quantization_config.quant_method is None"),
    ({"quantization_config": {"quant_method": "x"}}, "quant_method is 'x'"),
    ({"quantization_config": {"quant_method": ["fp8"]}}, "quant_method is ['fp8']"),
    ({"quantization_config": GPTQ | {"bits": -3}}, "quantization_config.bits is -3"),
    ({"quantization_config": GPTQ | {"bits": 4.0}}, "quantization_config.bits is 4.0"),
    ({"quantization_config": {"quant_method": "awq"}}, "bits is None"),
    ({"quantization_config": GPTQ | {"group_size": 0}}, "group_size is 0"),
    ({"quantization_config": GPTQ | {"group_size": -2}}, "group_size is -2"),
    ({"quantization_config": GPTQ | {"group_size": "x"}}, "group_size is 'x'"),
]


@pytest.mark.parametrize(("more", "dtype"), STORED)
def test_formats(more: dict[str, Any], dtype: str, tmp_path: Path) -> None:
    made = names.model(written(tmp_path / "m", {**LLAMA, **more}))
    assert made.native_dtype == dtype


@pytest.mark.parametrize(("more", "named"), REFUSED)
def test_what_is_refused_is_named(
    more: dict[str, Any], named: str, tmp_path: Path
) -> None:
    folder = written(tmp_path / "m", {**LLAMA, **more})
    with pytest.raises(Bad) as caught:
        names.model(folder)
    assert str(caught.value).startswith(f"{folder}/config.json: ")
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
