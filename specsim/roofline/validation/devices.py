"""What a row ran on: `A100 SXM 80GB`, `8xB200 TP8`, `h100_sxm`, `MI250X GCD`.

Counts, parallel sizes, power limits and core counts are no part of a name. Of several
readings the longest run of words that names one row of gpus.csv wins.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from specsim.roofline import names
from specsim.roofline.catalog import Gpu
from specsim.roofline.validation import stand_ins
from specsim.roofline.validation.cells import Skip

NEAR = 0.1
"""Bandwidths that differ by less are the same device, its figure rounded."""

COUNT = re.compile(
    r"^\W*(\d{1,4})\s*[x*\u00d7]\s*(?=\D)|(?<![\w])[x*\u00d7]\s*(\d{1,4})\b|"
    r"^\W*(\d{1,4})\s+(?=gpus?\b)|\((\d{1,4})\b",
    re.IGNORECASE,
)
NOISE = re.compile(
    r"\b((tp|ep|pp|dp)\s*\d+(/\w+)*|\d+\s*w|\d+[- ]?cores?|gpus?|class|likely|"
    r"inferred|laptop|node|oam|pp|tp|not|stated|in|table|excerpt|type)\b",
    re.IGNORECASE,
)
PART = re.compile(r"\bgcd|\bcpu\b", re.IGNORECASE)
GUESSED = re.compile(r"not stated|inferred|likely|\bclass\b", re.IGNORECASE)


@dataclass(frozen=True)
class Device:
    """An accelerator and how many of it; flags say what was assumed."""

    gpu: Gpu
    count: int | None
    flags: tuple[str, ...] = ()


def device(name: str, bandwidth_gbs: float | None = None) -> Device:
    """The row a name means; where a row's own bandwidth differs, that bandwidth counts.

    Without such a row a stand-in of that bandwidth; Skip if it is not given either.

    >>> device("8xB200 TP8").gpu.name, device("8xB200 TP8").count
    ('B200-SXM-180GB', 8)
    """
    gpu, flags = _meant(name, bandwidth_gbs)
    if GUESSED.search(name):
        flags += ("device inferred",)
    return Device(gpu, _count(name), flags)


def _meant(name: str, bandwidth_gbs: float | None) -> tuple[Gpu, tuple[str, ...]]:
    known = _known(name)
    part = bool(PART.search(name)) and not (known and PART.search(known.name))
    if bandwidth_gbs is None:
        if known is None or part:
            raise Skip("unknown device, no bandwidth given", name)
        return known, ()
    if known is None:
        return stand_ins.gpu(name, bandwidth_gbs), ("device stand-in",)
    if abs(bandwidth_gbs / known.mem_bw_gbs - 1) < NEAR and not part:
        return known, ()
    return _at(known, name, bandwidth_gbs), ("bandwidth of the row",)


def _at(known: Gpu, name: str, bandwidth_gbs: float) -> Gpu:
    """The device at another bandwidth; its rates too where it is a part of a board."""
    if re.search(r"\bcpu\b", name, re.IGNORECASE):
        return stand_ins.gpu(name, bandwidth_gbs)
    share = bandwidth_gbs / known.mem_bw_gbs
    rates = {} if share > 0.75 else stand_ins.rates(known, share)
    return replace(known, name=name, mem_bw_gbs=bandwidth_gbs, **rates)


def _count(name: str) -> int | None:
    found = COUNT.search(name)
    return int(next(filter(None, found.groups()))) if found else None


@lru_cache(10_000)
def _known(name: str) -> Gpu | None:
    """The row of gpus.csv that some run of the name's words settles."""
    shown = re.sub(r"\([^)]*\)", " ", name)
    for part in (shown, name):
        for words in _runs(NOISE.sub(" ", COUNT.sub(" ", part))):
            if row := names.listed_gpu(words):
                return row
    return None


def _runs(name: str) -> Iterator[str]:
    """All words, then shorter runs with a digit in them, the longest first."""
    words = re.findall(r"[^\s_/,+()\[\]]+", name)[:12]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            told = length == len(words) or any(c.isdigit() for c in run)
            if told and any(c.isalpha() for c in run):
                yield run
