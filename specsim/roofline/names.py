"""Forgiving names: `70b`, `A100 80GB`, `NVIDIA H100 80GB HBM3`, a Hugging Face id.

An exact name wins, whatever its case, spaces, underscores and hyphens; then the words
of a name in any order; then words that single out one row; then, for a model, the name
without owner, precision and tuning, and the models of its shape (`variants`). A name
that does not settle the row is refused, with the nearest ones.
"""

import difflib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from specsim.errors import Bad
from specsim.roofline import catalog, config, precisions, variants
from specsim.roofline.catalog import Gpu, Model

Row = TypeVar("Row", Gpu, Model)

MAKERS = frozenset({"nvidia", "amd", "intel", "apple", "google", "gpu"}) | {
    "geforce", "tesla", "quadro", "instinct", "radeon", "rtx"
}  # fmt: skip
TUNINGS = frozenset({"instruct", "chat", "base", "it", "hf"})


def gpu(name: str) -> Gpu:
    """The accelerator called `name`; Bad, with candidates, unless it is exactly one.

    A name of the table wins over a path of the same name; `./name` and `name.json` are
    files that `specsim calibrate` wrote.

    >>> gpu("a100").name, gpu("NVIDIA H100 80GB HBM3").name, gpu("rtx 4090").name
    ('A100-SXM4-80GB', 'H100-SXM5-80GB', 'RTX-4090')
    """
    name = _text("GPU", name)
    if name.startswith((".", "/", "~")) or name.endswith(".json"):
        return _calibrated(name)
    try:
        return _find("GPU", name, catalog.gpus(), MAKERS)
    except Bad:
        if os.path.exists(name):
            return _calibrated(name)
        raise


def _calibrated(path: str) -> Gpu:
    from specsim.roofline.calibration.loading import load

    return load(path).gpu


def model(name: str) -> Model:
    """The model called `name`, or described by a config.json or the directory of one.

    A name of the table wins over a path of the same name; `./name` is always a path.
    A precision in a name is the model's native one then.

    >>> model("70b").hf_id, model("Qwen 3 8B").hf_id
    ('meta-llama/Llama-3.1-70B', 'Qwen/Qwen3-8B')
    >>> model("nvidia/Llama-3.1-8B-Instruct-FP8").native_dtype
    'fp8'
    """
    name = _text("model", name)
    if name.startswith((".", "/", "~")) or name.endswith(".json"):
        return config.load(name)
    if row := listed_model(name):
        return row
    if os.path.exists(name):
        return config.load(name)
    return _find("model", name, catalog.models(), TUNINGS)


@lru_cache(10_000)
def listed_model(name: str) -> Model | None:
    """The same, None unless exactly one of the table: no path is looked at."""
    for shorter in (name, variants.plain(name), variants.row_name(name)):
        if shorter and (row := _settled(shorter, catalog.models(), TUNINGS)[0]):
            said = precisions.named(name) if shorter != name else None
            return replace(row, native_dtype=said.format) if said else row
    return None


@lru_cache(10_000)
def listed_gpu(name: str) -> Gpu | None:
    """The accelerator called `name`, None unless it is exactly one."""
    return _settled(name, catalog.gpus(), MAKERS)[0]


def _text(what: str, name: str) -> str:
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise Bad(f"{what} {name!r}: give a name, as in `specsim list {what.lower()}s`")
    return name.strip()


def _find(what: str, name: str, rows: Sequence[Row], noise: frozenset[str]) -> Row:
    row, hits = _settled(name, rows, noise)
    if row is None:
        raise Bad(_refusal(what, name, rows, hits))
    return row


def _settled(
    name: str, rows: Sequence[Row], noise: frozenset[str]
) -> tuple[Row | None, Sequence[Row]]:
    """The one row meant, or None and those that could be."""
    words = _words(name)
    fewer = words - noise
    tests: list[Callable[[Row], bool]] = [
        lambda row: _key(name) in map(_key, row.names),
        lambda row: _bare(name) in map(_bare, row.names),
        lambda row: any(fewer == _words(alias) - noise for alias in row.names),
        lambda row: _key("-".join(_kept(name, noise))) in map(_key, row.names),
        lambda row: bool(fewer) and _narrows(fewer, row),
    ]
    hits: list[Row] = []
    for test in tests:
        if len(found := [row for row in rows if test(row)]) == 1:
            return found[0], found
        hits = hits or found
    return None, hits


def _refusal(what: str, name: str, rows: Sequence[Row], hits: Sequence[Row]) -> str:
    shown = name if len(name) <= 60 else name[:57] + "..."
    if hits:
        many = ", ".join(row.names[0] for row in hits[:6])
        more = f" and {len(hits) - 6} more" if len(hits) > 6 else ""
        return f"{what} {shown!r} could be {many}{more}: say which"
    keys = {_key(alias): row for row in rows for alias in row.names}
    near = difflib.get_close_matches(_key(shown), keys, n=5, cutoff=0.5)
    close = dict.fromkeys(keys[key].names[0] for key in near)
    hint = f"nearest: {', '.join(close)}; " if close else ""
    return f"no {what} {shown!r}: {hint}all: specsim list {what.lower()}s"


def _kept(name: str, noise: frozenset[str]) -> Iterable[str]:
    return (word for word in _split(name) if word not in noise)


@lru_cache(10_000)
def _key(name: str) -> str:
    """Without case and separators, except one between digits: llama1-7b, llama-17b."""
    joined = re.sub(r"[\s_\-]+", "-", name.lower())
    return re.sub(r"(?<!\d)-|-(?!\d)", "", joined)


@lru_cache(10_000)
def _bare(name: str) -> str:
    return _key(name.replace(".", "-"))


def _split(name: str) -> list[str]:
    return [word for word in re.split(r"[\s_\-/()]+", name.lower()) if word]


@lru_cache(10_000)
def _words(name: str) -> frozenset[str]:
    return frozenset(_split(name))


def _narrows(words: frozenset[str], row: Row) -> bool:
    """Every word is one of the row's, or the letters one begins with (sxm, sxm4)."""
    known = frozenset().union(*map(_words, (*row.names, *row.about)))
    return all(
        word in known or (word.isalpha() and any(k.startswith(word) for k in known))
        for word in words
    )
