"""Where JSON departs from a JSON Schema: the keywords that ours uses, no others."""

import re
from collections.abc import Iterator
from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "boolean": bool,
    "number": (int, float),
    "array": list,
    "string": str,
    "integer": int,
    "null": type(None),
}


def violations(
    value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$"
) -> Iterator[str]:
    """Where JSON departs from a JSON Schema; only the keywords that ours uses."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from violations(value, root["$defs"][name], root, at)
    if "oneOf" in schema:
        fits = [not list(violations(value, one, root, at)) for one in schema["oneOf"]]
        if sum(fits) != 1:
            yield f"{at}: fits {sum(fits)} of the alternatives, not one"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not isinstance(value, TYPES[schema["type"]]):
        yield f"{at}: {value!r} is no {schema['type']}"
        return
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, int | float) and value < schema.get("minimum", value):
        yield f"{at}: {value} is under {schema['minimum']}"
    if isinstance(value, int | float) and value > schema.get("maximum", value):
        yield f"{at}: {value} is over {schema['maximum']}"
    if isinstance(value, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        if not least <= len(value) <= most:
            yield f"{at}: has {len(value)} items"
        for i, item in enumerate(value):
            yield from violations(item, schema.get("items", {}), root, f"{at}[{i}]")
    if isinstance(value, dict):
        yield from _members(value, schema, root, at)


def _members(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: lacks {name}"
    for name, member in value.items():
        other = schema.get("additionalProperties", {})
        if name not in known and other is False:
            yield f"{at}: {name} is unknown"
        elif name in known or other:
            yield from violations(member, known.get(name, other), root, f"{at}.{name}")
