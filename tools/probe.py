r"""Make specsim/data/probe again: the graphs of the probe pair as ONNX and OpenVINO.

    python -m tools.probe onnx python3 -m onnxruntime_genai.models.builder \
        -m SOURCE -o RESULT -p fp32 -e cpu -c CACHE
    python -m tools.probe openvino optimum-cli export openvino -m SOURCE \
        --task text-generation-with-past --weight-format fp32 RESULT

What follows the format is the converter's command, of whatever environment has it;
SOURCE, RESULT and CACHE are replaced. See specsim/data/probe/README.md.
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from specsim.errors import Bad
from specsim.oracle.probe import converted, export
from specsim.oracle.probe.converted import Place
from specsim.pretrained import Pretrained

CONSTANTS = {"onnx": "model.onnx.data", "openvino": "openvino_model.bin"}
GRAPHS = {
    "onnx": ["model.onnx"],
    "openvino": [
        "openvino_model.xml",
        *(f"openvino_{what}.{part}" for what in ("tokenizer", "detokenizer")
          for part in ("xml", "bin")),
    ],
}  # fmt: skip
"""What is kept of a conversion, besides the constants without the weights."""


def main() -> None:
    format, *command = sys.argv[1:]
    with TemporaryDirectory() as scratch:
        results = dict(_converted(command, Path(scratch)))
        _keep(format, results)


def _converted(command: list[str], scratch: Path) -> Iterator[tuple[str, Path]]:
    """Both models, by the converter."""
    for name, source in export.export("hf", scratch / "hf").items():
        result = scratch / "converted" / name
        words = {"SOURCE": source, "RESULT": result, "CACHE": scratch / "cache"}
        subprocess.run([str(words.get(word, word)) for word in command], check=True)
        yield name, result


def _keep(format: str, results: Mapping[str, Path]) -> None:
    folder = converted.FOLDER / format
    folder.mkdir(parents=True, exist_ok=True)
    file = CONSTANTS[format]
    contents = {name: (path / file).read_bytes() for name, path in results.items()}
    hollow, places = hollowed(contents)
    (folder / converted.HOLLOW).write_bytes(gzip.compress(hollow, mtime=0))
    layout = {
        "file": file,
        "digests": {name: converted.digest(each) for name, each in contents.items()},
        "weights": places,
    }
    (folder / converted.LAYOUT).write_text(json.dumps(layout, indent=1) + "\n")
    for graph in GRAPHS[format]:
        one, other = ((path / graph).read_bytes() for path in results.values())
        if one != other:
            raise Bad(f"{graph}: the models have different ones")
        (folder / graph).write_bytes(one)


def hollowed(contents: Mapping[str, bytes]) -> tuple[bytes, list[Place]]:
    """Files of constants without the weights, and where those were.

    Bad: a matrix is not to be found, or the files differ in something else.
    """
    pair = {name: make() for name, make in export.PAIR.items()}
    places = sorted(_places(pair["target"], contents["target"]))
    hollow = {name: bytearray(content) for name, content in contents.items()}
    for name, content in hollow.items():
        for place in places:
            size = len(place.content(pair[name].arrays))
            content[place.start : place.start + size] = bytes(size)
    if hollow["target"] != hollow["draft"]:
        raise Bad("the two conversions differ in more than their weights")
    return bytes(hollow["target"]), places


def _places(model: Pretrained, content: bytes) -> Iterator[Place]:
    """Each matrix, or those of queries, keys and values together."""
    wanted = {name: w for name, w in model.arrays.items() if w.ndim == 2}
    for name in wanted:
        stacked = [name.replace(".q_", f".{x}_") for x in "qkv"]
        place = _found([name], model, content) or _found(stacked, model, content)
        if place:
            yield place
        elif ".k_" not in name and ".v_" not in name:
            raise Bad(f"{name} is not in the constants")


def _found(names: list[str], model: Pretrained, content: bytes) -> Place | None:
    for transposed in (False, True):
        block = Place(0, names, transposed).content(model.arrays)
        if (start := content.find(block)) >= 0:
            return Place(start, names, transposed)
    return None


if __name__ == "__main__":
    main()
