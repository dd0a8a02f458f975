"""What is written is read; what is not whole is refused in one line."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.weights import check, read, save

ARRAYS: dict[str, Any] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.array([1.5, -2.5]),
    "scalar": np.array(3.0, dtype=np.float32),
    "empty": np.zeros((0, 4), dtype=np.float32),
    "offsets": np.array([1, -1, 5]),
    "kept": np.array([True, False]),
}


def written(path: Path, tensors: dict[str, tuple[str, list[int], bytes]]) -> Path:
    """A safetensors file by hand, of types that NumPy lacks too."""
    header, data = {}, b""
    for name, (kind, shape, content) in tensors.items():
        span = [len(data), len(data) + len(content)]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": span}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def refused(path: Path, *words: str) -> None:
    with pytest.raises(Bad) as caught:
        read(path)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    for word in (path.name, *words):
        assert word in message


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save(path, ARRAYS, {"config": "{}"})
    arrays, metadata = read(str(path))
    assert metadata == {"config": "{}"}
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].flags.writeable
    assert [file.name for file in tmp_path.iterdir()] == ["x.safetensors"]


def test_a_transposed_array_is_saved_as_it_looks(tmp_path: Path) -> None:
    save(tmp_path / "x.safetensors", {"a": ARRAYS["a"].T, "s": ARRAYS["a"][:, ::2]}, {})
    arrays = read(tmp_path / "x.safetensors").arrays
    np.testing.assert_array_equal(arrays["a"], ARRAYS["a"].T)
    np.testing.assert_array_equal(arrays["s"], ARRAYS["a"][:, ::2])


def test_half_precisions_are_widened_exactly(tmp_path: Path) -> None:
    patterns = np.arange(2**16, dtype="<u2")
    finite = patterns[(patterns >> 7) & 0xFF != 0xFF]
    halves = np.array([1 / 3, -65504, 6e-8], dtype="<f2")
    path = written(
        tmp_path / "x.safetensors",
        {
            "odd": ("U8", [1], b"x"),
            "bf16": ("BF16", [len(finite)], finite.tobytes()),
            "fp16": ("F16", [3], halves.tobytes()),
        },
    )
    arrays = read(path).arrays
    assert arrays["bf16"].dtype == arrays["fp16"].dtype == np.float32
    exponent = ((finite >> 7) & 0xFF).astype(float)
    fraction = (finite & 0x7F) / 128
    size = np.where(
        exponent == 0, fraction * 2.0**-126, (1 + fraction) * 2.0 ** (exponent - 127)
    )
    sign = np.where(finite >> 15, -1.0, 1.0)
    np.testing.assert_array_equal(arrays["bf16"].astype(float), sign * size)
    np.testing.assert_array_equal(arrays["fp16"], halves.astype(np.float32))


def test_shards_of_a_folder_are_read_together(tmp_path: Path) -> None:
    save(tmp_path / "model-00001-of-00002.safetensors", {"a": ARRAYS["a"]}, {})
    save(tmp_path / "model-00002-of-00002.safetensors", {"b": ARRAYS["b"]}, {})
    save(tmp_path / "consolidated.safetensors", {"c": ARRAYS["b"]}, {})
    assert read(tmp_path).arrays.keys() == {"a", "b"}
    save(tmp_path / "model-00003.safetensors", {"a": ARRAYS["a"]}, {})
    refused(tmp_path, "'a' is in two files")


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "no model*.safetensors")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "no.safetensors", "no such file")


@pytest.mark.parametrize("cut", [0, 5, 8, 40, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "x.safetensors"
    save(path, ARRAYS, {})
    path.write_bytes(path.read_bytes()[:cut])
    refused(path, "truncated")


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95" + b"pickled" * 9,
        struct.pack("<Q", 2**60) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 5000) + b'{"a":' * 1000,
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    ],
)
def test_what_is_no_safetensors_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    refused(path, "truncated, or no safetensors file")


@pytest.mark.parametrize(
    ("shape", "size"), [([2, 2], 8), ([2**62, 4], 8), ([-1], 4), ([3], 16)]
)
def test_a_shape_that_is_not_the_datas_is_refused(
    tmp_path: Path, shape: list[int], size: int
) -> None:
    path = written(tmp_path / "x.safetensors", {"a": ("F32", shape, bytes(size))})
    refused(path)


def test_a_name_that_stands_twice_is_read_once(tmp_path: Path) -> None:
    """The last counts; the first, which reaches past the end, is never looked at."""
    last = '"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
    text = "{" + last.replace("[1]", "[9]").replace("[0,4]", "[0,36]") + f",{last}}}"
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text.encode() + bytes(4))
    assert read(path).arrays["a"].shape == (1,)


def test_an_unknown_type_is_refused(tmp_path: Path) -> None:
    tensors = {"a": ("F8_E4M3", [2], bytes(2))}
    refused(written(tmp_path / "x.safetensors", tensors), "'a' is F8_E4M3", "BF16")


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("F32", struct.pack("<f", float("nan"))),
        ("F64", struct.pack("<d", float("inf"))),
        ("F16", struct.pack("<H", 0x7C00)),
        ("BF16", struct.pack("<H", 0x7FC0)),
        ("BF16", struct.pack("<H", 0xFF80)),
    ],
)
def test_nan_and_infinity_are_refused(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    tensors = {"fine": ("F32", [1], bytes(4)), "bad": (kind, [1], content)}
    refused(written(tmp_path / "x.safetensors", tensors), "'bad' holds NaN")


def test_what_is_not_finite_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save(path, {"a": np.ones(2)}, {})
    with pytest.raises(Bad, match="'a' holds NaN"):
        save(path, {"a": np.array([np.nan])}, {})
    np.testing.assert_array_equal(read(path).arrays["a"], np.ones(2))
    save(path, {"a": np.zeros(2)}, {})
    np.testing.assert_array_equal(read(path).arrays["a"], np.zeros(2))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(Bad, match=r"no/x\.safetensors: cannot be written"):
        save(tmp_path / "no" / "x.safetensors", {"a": np.ones(2)}, {})


def test_the_tensors_that_are_needed_are_all_there_and_no_others() -> None:
    shapes = {"a": (2, 3), "b": (2,)}
    held = {name: ARRAYS[name] for name in shapes}
    assert check(held, shapes, "x").keys() == shapes.keys()
    assert check(held | {"c": held["b"]}, shapes, "x", frozenset("c")).keys() == {*"ab"}
    for arrays, words in [
        ({"a": held["a"]}, "x: tensor 'b' is missing"),
        (held | {"b": np.ones((2, 1))}, r"x: 'b' is \(2, 1\), not \(2,\)"),
        (held | {"b": np.ones(3)}, r"x: 'b' is \(3,\), not \(2,\)"),
        (held | {"b": np.ones(2, int)}, "x: 'b' is int64, not floating"),
        (held | {"c": held["b"]}, "x: tensor 'c' is not understood"),
    ]:
        with pytest.raises(Bad, match=words):
            check(arrays, shapes, "x")
