"""Strict reading of a config.json: each complaint names file, field and mend."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specsim import jsonfile
from specsim.errors import Bad
from specsim.jsonfile import short_path as short_path

MOST_BYTES = 1_000_000
MOST = 2**20
LIMITS = {
    "num_hidden_layers": 10_000,
    "num_attention_heads": 4_096,
    "num_key_value_heads": 4_096,
    "head_dim": 4_096,
    "hidden_size": 2**18,
    "vocab_size": 2**24,
    "sliding_window": 2**30,
    "max_position_embeddings": 2**30,
}


@dataclass(frozen=True)
class Fields:
    """The fields of one file."""

    file: Path
    config: Mapping[str, Any]

    def bad(self, what: str) -> Bad:
        """The error to raise."""
        return Bad(f"{self.file}: {what}")

    def get(self, key: str) -> Any:
        """The raw value, None if absent."""
        return self.config.get(key)

    def whole(self, *keys: str, default: int | None = None, least: int = 1) -> int:
        """The first of `keys` that is there: a whole number within its limits."""
        key = next((k for k in keys if self.get(k) is not None), keys[0])
        value, most = self.get(key), LIMITS.get(key, MOST)
        if value is None and default is not None:
            return default
        if type(value) is not int or not least <= value <= most:
            found = "is missing" if value is None else f"is {short(value)}"
            raise self.bad(
                f"{key} {found}; it must be a whole number from {least} to {most:,}"
            )
        return value

    def truth(self, key: str, default: bool) -> bool:
        """The value of a switch."""
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.bad(f"{key} is {short(value)}; it must be true or false")
        return default if value is None else value

    def words(self, key: str) -> list[str] | None:
        """A list of words, None if absent."""
        if (value := self.get(key)) is None:
            return None
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.bad(f"{key} is {short(value)}; it must be a list of words")
        return value


def read(path: str) -> Fields:
    """A config.json, or the one in a directory; a multimodal one's language part.

    Fields of the outer level stay as defaults of the inner one.
    """
    path = os.path.expanduser(path)
    file = Path(path, "config.json") if os.path.isdir(path) else Path(path)
    config = _json(file)
    inner = config.get("text_config")
    return Fields(file, config | inner if isinstance(inner, dict) else config)


def _json(file: Path) -> dict[str, Any]:
    made = jsonfile.read(file, MOST_BYTES, "give a config.json or its folder")
    if not isinstance(made, dict):
        raise Bad(f"{file}: not a JSON object; give a model's config.json")
    return made


def short(value: object) -> str:
    """As in Python, cut to forty characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
