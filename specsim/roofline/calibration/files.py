"""A calibration's file: written whole or not at all, and read as text from anybody."""

import json
import os
from pathlib import Path
from typing import Any

from specsim import jsonfile
from specsim.errors import Bad

MOST_BYTES = 2_000_000


def write(file: Path, data: Any) -> None:
    """JSON under that name; what stood there stays until all is written."""
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, file)
    except OSError as error:
        raise Bad(f"{file}: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)


def writable(path: Path | str) -> None:
    """Bad, before anything is measured, where a file cannot be written in the end."""
    file = Path(path)
    if file.is_dir():
        raise Bad(f"{file}: a directory; name a file in it")
    if not os.access(file.parent, os.W_OK):
        what = "cannot be written to" if file.parent.exists() else "no such directory"
        raise Bad(f"{file.parent}: {what}; name a file elsewhere")


def read(file: Path) -> dict[str, Any]:
    """The object in it; Bad, in one line, on anything else."""
    mend = "give what `specsim calibrate --output` wrote"
    made = jsonfile.read(file, MOST_BYTES, mend)
    if not isinstance(made, dict):
        raise Bad(f"{file}: not a JSON object; {mend}")
    return made
