"""Weights from safetensors files into plain arrays, and back.

A file is taken for hostile: what is truncated, not finite, of another shape or not
there is refused in one line. Nothing is unpickled.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from specsim.errors import Bad
from specsim.roofline.fields import short, short_path

Array = NDArray[Any]
TYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
"""How a stored type is read; bf16, which NumPy lacks, as the upper half of a float32.
"""


class Stored(NamedTuple):
    """What a file holds. Half precisions are widened to float32."""

    arrays: dict[str, Array]
    metadata: dict[str, str]


def read(path: str | Path) -> Stored:
    """A safetensors file, or those of a folder together (`model*.safetensors`)."""
    path = Path(path).expanduser()
    if not path.is_dir():
        return _file(path)
    if not (files := sorted(path.glob("model*.safetensors"))):
        raise Bad(f"{short_path(path)}: no model*.safetensors in this folder")
    all_of = Stored({}, {})
    for shard in map(_file, files):
        if twice := all_of.arrays.keys() & shard.arrays.keys():
            raise Bad(f"{short_path(path)}: {short(min(twice))} is in two files")
        all_of.arrays.update(shard.arrays)
        all_of.metadata.update(shard.metadata)
    return all_of


def check(
    arrays: Mapping[str, Array],
    shapes: Mapping[str, tuple[int, ...]],
    where: object,
    spare: frozenset[str] = frozenset(),
) -> dict[str, Array]:
    """The arrays that `shapes` names, all floating; Bad if one is missing or differs.

    where: what holds them, for the message. Bad too if there are others, except those
    in `spare`: a tensor that nothing reads belongs to another model.
    """
    for name, shape in shapes.items():
        if name not in arrays:
            raise Bad(f"{where}: tensor {short(name)} is missing")
        found = arrays[name]
        if found.shape != shape:
            raise Bad(f"{where}: {short(name)} is {found.shape}, not {shape}")
        if found.dtype.kind != "f":
            raise Bad(f"{where}: {short(name)} is {found.dtype}, not floating")
    if unknown := arrays.keys() - shapes.keys() - spare:
        raise Bad(f"{where}: tensor {short(min(unknown))} is not understood")
    return {name: arrays[name] for name in shapes}


def save(
    path: str | Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]
) -> None:
    """Write a safetensors file; an older one stays until the new one is complete."""
    path = Path(path)
    for name, array in arrays.items():
        _finite(path, name, array)
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        save_file(whole, beside, dict(metadata))
        os.replace(beside, path)
    except (OSError, SafetensorError) as error:
        raise Bad(f"{short_path(path)}: cannot be written: {error}") from None
    finally:
        beside.unlink(missing_ok=True)


def _file(path: Path) -> Stored:
    if not path.is_file():
        what = "not a file" if path.exists() else "no such file"
        raise Bad(f"{short_path(path)}: {what}; give a safetensors file or a folder")
    try:
        with safe_open(path, framework="np") as opened:
            metadata = opened.metadata() or {}
        content = np.memmap(path, np.uint8, "r")
        start = 8 + int(content[:8].view("<u8")[0])
        header = json.loads(bytes(content[8:start]))
        data = content[start:]
        tensors = {k: v for k, v in header.items() if k != "__metadata__"}
        arrays = {name: _array(path, name, data, how) for name, how in tensors.items()}
    except OSError as error:
        raise Bad(f"{short_path(path)}: cannot be read: {error}") from None
    except SafetensorError as error:
        why = "truncated, or no safetensors file"
        raise Bad(f"{short_path(path)}: {why} ({error}); get it anew") from None
    return Stored(arrays, metadata)


def _array(path: Path, name: str, data: Array, how: Mapping[str, Any]) -> Array:
    """A copy of one tensor, of which safetensors has checked that it fits the file."""
    if (stored := how["dtype"]) not in TYPES:
        known = ", ".join(TYPES)
        raise Bad(
            f"{short_path(path)}: {short(name)} is {stored}; understood are {known}"
        )
    begin, end = how["data_offsets"]
    array: Array = np.array(data[begin:end]).view(TYPES[stored]).reshape(how["shape"])
    if stored == "BF16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    elif stored == "F16":
        array = array.astype(np.float32)
    _finite(path, name, array)
    return array


def _finite(path: Path, name: str, array: Array) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Bad(f"{short_path(path)}: {short(name)} holds NaN or infinity")
