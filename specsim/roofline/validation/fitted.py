"""Which constants were fitted to the rows that are shipped, and by which tool."""

import re
from collections.abc import Iterator

from specsim.roofline.engines import ENGINES
from specsim.roofline.formats import FORMATS
from specsim.roofline.hardware import FAMILIES
from specsim.roofline.speculation.loops import EAGER


def fitted() -> dict[str, list[str]]:
    """Tool to the rows of the tables whose source names it."""
    held: dict[str, list[str]] = {}
    for name, source in _sources():
        for tool in re.findall(r"tools/fit_\w+\.py", source):
            held.setdefault(tool, []).append(name)
    return held


def _sources() -> Iterator[tuple[str, str]]:
    for engine in ENGINES.values():
        yield f"engine {engine.name}", engine.source
    for family in FAMILIES:
        yield f"GPU family {family.name}", family.source
    for form in FORMATS.values():
        yield f"format {form.name}", form.source
    yield "eager loops of speculation", EAGER.source


def line() -> str:
    """The same for a reader; names are in the JSON."""
    counts = ", ".join(f"{len(names)} by {tool}" for tool, names in fitted().items())
    return f"constants fitted to rows shipped, whose errors flatter: {counts} (--json)"
