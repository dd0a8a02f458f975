"""The probe pair as ONNX and OpenVINO: kept graphs, and weights put in from the seed.

Heavy packages convert a model; they did so once (tools/probe.py). What they made is
kept without the weights: the graph, which both models share, and `hollow.bin.gz`, the
file of constants with zeros in the place of every matrix. layout.json says which matrix
goes where, and the digest of the whole file as it was converted.
"""

import gzip
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from specsim.errors import Bad
from specsim.pretrained import Pretrained

FOLDER = Path(__file__).resolve().parents[2] / "data" / "probe"
LAYOUT, HOLLOW = "layout.json", "hollow.bin.gz"


class Place(NamedTuple):
    """Matrices, one below the other, as one block of float32 from this byte on.

    transposed: whether the block is (in, out) instead of (out, in).
    """

    start: int
    names: list[str]
    transposed: bool

    def content(self, arrays: Mapping[str, Any]) -> bytes:
        block = np.concatenate([arrays[name] for name in self.names])
        content: bytes = (block.T if self.transposed else block).astype("<f4").tobytes()
        return content


def layout(format: str) -> tuple[str, list[Place], dict[str, str]]:
    """The name of the file of constants, what goes where, and its digest by model."""
    made = json.loads((FOLDER / format / LAYOUT).read_text())
    return made["file"], [Place(*each) for each in made["weights"]], made["digests"]


def write(model: Pretrained, name: str, format: str, folder: Path) -> None:
    """One model of the pair, `target` or `draft`, into a folder that exists.

    Bad: what comes out is not what the converter made.
    """
    file, places, digests = layout(format)
    kept = FOLDER / format
    constants = bytearray(gzip.decompress((kept / HOLLOW).read_bytes()))
    for place in places:
        content = place.content(model.arrays)
        constants[place.start : place.start + len(content)] = content
    if digest(constants) != digests[name]:
        raise Bad(f"probe: {format} of the {name} is damaged; install specsim anew")
    (folder / file).write_bytes(constants)
    for each in sorted(kept.iterdir()):
        if each.name not in (LAYOUT, HOLLOW):
            shutil.copyfile(each, folder / each.name)


def digest(content: bytes | bytearray) -> str:
    return hashlib.sha256(content).hexdigest()
