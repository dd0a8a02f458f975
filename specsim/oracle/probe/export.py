"""The probe pair written out, in the form that an engine reads."""

from collections.abc import Callable
from pathlib import Path

from specsim.errors import Bad
from specsim.oracle.probe import converted, gguf, huggingface, onnx, pair
from specsim.roofline.fields import short, short_path

PAIR = {"target": pair.target, "draft": pair.draft}


def export(format: str, directory: str | Path) -> dict[str, Path]:
    """Write both models below a directory, which is made; where each of them is.

    format: hf (a folder each), gguf (a file each), onnx (folders for ONNX Runtime
    GenAI, see probe/onnx), openvino (a folder each).
    Bad: no such format, a model is there already, or nothing can be written there.
    """
    if format not in FORMATS:
        raise Bad(f"format {short(format)}: choose from {', '.join(FORMATS)}")
    folder = Path(directory).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in map(folder.joinpath, (*PAIR, *(f"{name}.gguf" for name in PAIR))):
            if path.exists():
                raise Bad(
                    f"{short_path(path)} is in the way; nothing is overwritten: "
                    "name another directory"
                )
        return FORMATS[format](folder)
    except OSError as error:
        raise Bad(f"{short_path(folder)}: {error.strerror}") from None


def _hf(folder: Path) -> dict[str, Path]:
    made = _folders(folder)
    for name, path in made.items():
        huggingface.write(PAIR[name](), path)
    return made


def _gguf(folder: Path) -> dict[str, Path]:
    made = {name: folder / f"{name}.gguf" for name in PAIR}
    for name, path in made.items():
        gguf.write(PAIR[name](), path)
    return made


def _onnx(folder: Path) -> dict[str, Path]:
    return onnx.write(pair.target(), pair.draft(), folder)


def _openvino(folder: Path) -> dict[str, Path]:
    made = _folders(folder)
    for name, path in made.items():
        huggingface.describe(PAIR[name](), path)
        converted.write(PAIR[name](), name, "openvino", path)
    return made


def _folders(folder: Path) -> dict[str, Path]:
    made = {name: folder / name for name in PAIR}
    for path in made.values():
        path.mkdir(exist_ok=True)
    return made


FORMATS: dict[str, Callable[[Path], dict[str, Path]]] = {
    "hf": _hf,
    "gguf": _gguf,
    "onnx": _onnx,
    "openvino": _openvino,
}
