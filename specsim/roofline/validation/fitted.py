"""Which constants were fitted to the rows that are shipped, and by which tool."""

import re
import textwrap
from collections.abc import Iterator

from specsim.roofline.engines import ENGINES
from specsim.roofline.formats import FORMATS
from specsim.roofline.hardware import FAMILIES
from specsim.roofline.speculation.loops import EAGER

HEAD = (
    "Constants fitted to the rows shipped, whose errors therefore flatter; each tool",
    "prints them with models or sources left out:",
)


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


def lines() -> list[str]:
    """The same for a reader."""
    said = [f"{tool}: {', '.join(names)}" for tool, names in fitted().items()]
    wrap = textwrap.TextWrapper(88, initial_indent="  ", subsequent_indent="    ")
    return [*HEAD, *map(wrap.fill, said)] if said else []
