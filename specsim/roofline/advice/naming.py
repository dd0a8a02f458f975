"""The model by the name it was asked for: what an engine loads, and what is priced."""

import os
import re

from specsim.roofline import catalog
from specsim.roofline.catalog import Model


def served(asked: str, row: Model) -> str:
    """What an engine is given: the hub id or folder asked for, else the row's hub id.

    >>> from specsim.roofline import names
    >>> name = "meta-llama/Llama-3.1-8B-Instruct"
    >>> served(name, names.model(name)), served("8b", names.model("8b"))
    ('meta-llama/Llama-3.1-8B-Instruct', 'meta-llama/Llama-3.1-8B')
    """
    name = asked.strip()
    if "/" not in name or name.lower() == row.hf_id.lower():
        return row.hf_id
    return os.path.dirname(name) if name.endswith(".json") else name


def note(asked: str, row: Model) -> str | None:
    """Says of which row of models.csv a model is priced as a variant, None if of none.

    >>> from specsim.roofline import names
    >>> note("qwen3-32b-awq", names.model("qwen3-32b-awq"))
    'qwen3-32b-awq is priced as Qwen/Qwen3-32B in int4'
    """
    listed = next((each for each in catalog.models() if each.hf_id == row.hf_id), None)
    own = any(_letters(asked) in _letters(name) for name in row.names)
    if listed is None or own:
        return None
    stored = row.native_dtype
    narrowed = f" in {stored}" if stored != listed.native_dtype else ""
    return f"{asked.strip()} is priced as {row.hf_id}{narrowed}"


def _letters(name: str) -> str:
    """Without case, spaces and hyphens."""
    return re.sub(r"[\s_-]+", "", name.lower())
