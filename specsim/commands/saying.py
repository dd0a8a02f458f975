"""What every command does with its answer."""

import json
from argparse import Namespace
from collections.abc import Callable
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
    written = json.dumps(data, indent=1, default=str)
    if args.json == "-":
        print(written)
        return
    try:
        Path(args.json).write_text(written + "\n")
    except OSError as error:
        raise Bad(f"--json {args.json}: {error.strerror}") from None
    print(text())


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
