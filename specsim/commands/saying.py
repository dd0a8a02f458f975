"""What every command does with its answer."""

import json
import math
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from specsim.errors import Bad

PICTURES = ".png", ".pdf", ".svg"


def say(args: Namespace, data: Any, text: Callable[[], str]) -> None:
    """Print for people, or JSON where --json points; "-" is standard output alone."""
    if args.json is None:
        print(text())
        return
    written = _written(data)
    if args.json == "-":
        print(written)
        return
    put("--json", args.json, written + "\n")
    print(text())


def put(option: str, file: str, text: str) -> None:
    """Write what an option asked for. Bad, on one line, where it cannot be."""
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Bad(f"{option} {file}: {error.strerror}") from None


def writable(**files: str | None) -> None:
    """Bad where an option names a file in no directory: before the work, not after."""
    for option, file in files.items():
        if file is not None and not (file and Path(file).parent.is_dir()):
            raise Bad(f"--{option} {file!r}: there is no such directory to write to")


def _written(data: Any) -> str:
    try:
        return json.dumps(data, indent=1, default=str, allow_nan=False)
    except ValueError:
        where = next(_endless(data, ""), "somewhere")
        raise Bad(f"--json: {where} is no finite number, which JSON lacks") from None


def _endless(data: Any, where: str) -> Iterator[str]:
    """Where in the data NaN and infinities are."""
    if isinstance(data, dict):
        for name, each in data.items():
            yield from _endless(each, f"{where}.{name}".lstrip("."))
    elif isinstance(data, list | tuple):
        for at, each in enumerate(data):
            yield from _endless(each, f"{where}[{at}]")
    elif isinstance(data, float) and not math.isfinite(data):
        yield where


def picture(args: Namespace, module: str) -> ModuleType | None:
    """The module that draws, if --plot asks for a picture; Bad where it cannot."""
    if args.plot is None:
        return None
    if Path(args.plot).suffix not in PICTURES:
        raise Bad(f"--plot {args.plot!r}: end it in {' or '.join(PICTURES)}")
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError:
        install = "pip install 'specsim-llm[report]'"
        raise Bad(f"--plot needs matplotlib: {install}") from None
