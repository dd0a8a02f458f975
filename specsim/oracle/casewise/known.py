"""The file of cases that an engine is known to fail."""

import tomllib
from pathlib import Path

from specsim.errors import Bad
from specsim.oracle.engines.contract import short

REASON = "known to fail"


def known_failures(file: Path) -> dict[str, str]:
    """Reasons by case id.

    Text has one id a line and # before remarks. TOML has a list `known_fail`, or a
    table of that name with a reason for each id. Bad: it is neither, or names a case
    twice.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise Bad(f"--specsim-known-fail {file}: {why}") from None
    if file.suffix == ".toml":
        return _toml(file, text)
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return _listed(file, [line for line in lines if line])


def _listed(file: Path, ids: list[str]) -> dict[str, str]:
    for id_ in ids:
        if ids.count(id_) > 1:
            raise Bad(f"--specsim-known-fail {file}: {short(id_)} stands there twice")
    return dict.fromkeys(ids, REASON)


def _toml(file: Path, text: str) -> dict[str, str]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Bad(f"--specsim-known-fail {file}: {error}") from None
    found = document.get("known_fail")
    if isinstance(found, list) and all(isinstance(id_, str) for id_ in found):
        return _listed(file, found)
    if isinstance(found, dict) and all(isinstance(r, str) for r in found.values()):
        return found
    raise Bad(
        f"--specsim-known-fail {file}: write known_fail = [ids], or a table "
        "[known_fail] of reasons by id"
    )
