"""What an engine says of itself when it is started."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from specsim.errors import Bad
from specsim.oracle.engines.contract import OPERATIONS, printable
from specsim.oracle.vectors.schema import violations
from specsim.oracle.wire import text
from specsim.oracle.wire.messages import PROTOCOL, Json
from specsim.oracle.wire.text import Text


class Record(NamedTuple):
    """The form in which it wants its requests, and its capabilities."""

    form: Json | Text
    engine: dict[str, str]
    operations: dict[str, list[str]]
    others: list[str]
    accepts: list[str]
    kinds: list[str]
    lossless: bool

    def notes(self) -> Iterator[str]:
        """What a report should say of it, as far as told."""
        names = (self.engine.get(key, "") for key in ("name", "version", "language"))
        if told := printable(" ".join(filter(None, names)), 80):
            yield f"it calls itself {told}"
        if issues := self.engine.get("issues"):
            yield f"its issues: {printable(issues, 120)}"
        if not self.lossless:
            yield "it says that it is lossy: the target's law judges it all the same"


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of all messages."""
    path = files("specsim.oracle.wire") / "protocol.schema.json"
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def read(said: str) -> Record:
    """The answer to `start`. Bad: no such answer, or another protocol."""
    plain = said.split()[:1] == ["text"]
    record = text.started(said) if plain else Json().answer(said)
    protocol = record.get("protocol")
    if protocol != PROTOCOL:
        found = printable(json.dumps(protocol), 20)
        raise Bad(f"speaks protocol {found}, where only {PROTOCOL} is known")
    for wrong in violations(record, schema()["$defs"]["started"], schema()):
        raise Bad(f"answered start with what is no record: {printable(wrong, 120)}")
    offered: dict[str, list[str]] = record["operations"]
    return Record(
        Text() if plain else Json(record.get("frames", False)),
        record["engine"],
        {name: modes for name, modes in offered.items() if name in OPERATIONS},
        sorted(offered.keys() - {*OPERATIONS}),
        sorted(record.get("accepts", [])),
        sorted(record.get("kinds", [])),
        record.get("lossless", True),
    )
