"""All vectors, made anew: a function of the rules and of the bugs planted in them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from specsim.oracle.vectors.drawn import drawn
from specsim.oracle.vectors.edges import edge
from specsim.oracle.vectors.notes import NOTES
from specsim.oracle.vectors.pairs import metamorphic
from specsim.oracle.vectors.targeted import targeted
from specsim.oracle.vectors.vector import Vector, asked, shipped
from specsim.rules import RULES, Rule

FORMAT = 1
"""Goes up when a reader of the old files could misread the new ones."""
SCHEMA = "schema.json"


def generate() -> dict[str, list[Vector]]:
    """The vectors of each rule, by its name."""
    return {rule.name: made(rule) for rule in RULES.values()}


def made(rule: Rule) -> list[Vector]:
    plain = drawn(rule)
    every = [*plain, *edge(rule), *metamorphic(rule, plain[::3])]
    every += targeted(rule, every)
    return list({vector.id: vector for vector in reversed(every)}.values())[::-1]


def export(directory: str | Path) -> list[Path]:
    """Write one file a rule, and the schema that they keep to; the paths written."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.json": text(name, found) for name, found in generate().items()}
    texts[SCHEMA] = (shipped() / SCHEMA).read_text("utf-8")
    for name, content in texts.items():
        (folder / name).write_text(content, "utf-8", newline="\n")
    return [folder / name for name in texts]


def text(rule: str, vectors: Iterable[Vector]) -> str:
    """A rule's file: a vector a line, so that a change shows which one it is."""
    found = list(vectors)
    flags = {flag for vector in found for flag in vector.flags}
    notes = {flag: NOTES[flag]._asdict() for flag in NOTES if flag in flags}
    head = json.dumps(
        {"format": FORMAT, "rule": rule, "count": len(found), "notes": notes}, indent=1
    )
    lines = (json.dumps(written(v), separators=(",", ":")) for v in found)
    return head[:-2] + ',\n "vectors": [\n' + ",\n".join(lines) + "\n]}\n"


def written(vector: Vector) -> dict[str, Any]:
    """A vector as JSON, the rule left to the file it stands in."""
    entry = {"id": vector.id, "class": vector.class_, **asked(vector)}
    del entry["rule"]
    if vector.block is None:
        entry["acceptable"] = vector.blocks
    else:
        entry["block"] = vector.block
    entry |= {"margin": str(vector.margin), "bits": vector.bits}
    if vector.refusal:
        entry["refusal"] = True
    if vector.pair:
        entry["pair"] = vars(vector.pair)
    return entry | {"flags": vector.flags}
