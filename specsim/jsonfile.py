"""A JSON file that somebody else wrote: read, or refused in one line."""

import json
import os
from pathlib import Path
from typing import Any, NoReturn

from specsim.errors import Bad


def read(file: Path, most: int, mend: str, finite: bool = False) -> Any:
    """What is in it. Bad, ending in `mend`: not there, over `most` bytes, no JSON.

    finite: whether NaN and infinities are refused, which JSON does not have either.
    """
    named = short_path(file)
    if not os.path.isfile(file):
        what = "not a file" if os.path.exists(file) else "no such file"
        raise Bad(f"{named}: {what}; {mend}")
    try:
        if file.stat().st_size > most:
            raise Bad(f"{named}: over {most:,} bytes; {mend}")
        text = file.read_text(encoding="utf-8-sig")
        return json.loads(text, parse_constant=_refused if finite else None)
    except OSError as error:
        raise Bad(f"{named}: cannot be read: {error.strerror}") from None
    except Bad:
        raise
    except (ValueError, RecursionError):
        raise Bad(f"{named}: not valid JSON, or cut short; {mend}") from None


def _refused(name: str) -> NoReturn:
    raise ValueError(name)


def short_path(file: Path) -> str:
    """A path on one line, cut to two hundred characters."""
    text = "".join(c if c.isprintable() else "?" for c in str(file))
    return text if len(text) <= 200 else text[:197] + "..."
