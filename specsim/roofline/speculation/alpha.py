"""What is given as alpha: a number, rates by position, a file of them, a law.

a number or an array of them     every token alike, given those before it
a list or tuple of numbers       rates[i] of token i, given those before it
text                             "0.8", "0.9,0.8,0.7", or the name of a JSON file
that holds {"acceptance": [...]}, rates by position
an Acceptance                    Texts, Runs, Emitted ... of `acceptance`
"""

import json
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline.speculation.acceptance import Acceptance, Alike, Positions


def acceptance(alpha: Any) -> Acceptance:
    """An Acceptance of what was given; Bad unless all of it are probabilities.

    >>> acceptance("0.8"), acceptance([0.9, 0.7])
    (Alike(alpha=0.8), Positions(rates=(0.9, 0.7)))
    """
    if hasattr(alpha, "survival"):
        given: Acceptance = alpha
        return given
    if isinstance(alpha, str | PathLike):
        return _said(str(alpha))
    if isinstance(alpha, list | tuple):
        return Positions(_probabilities(alpha))
    try:
        value = np.asarray(alpha, float)
    except (TypeError, ValueError):
        value = np.array(np.nan)
    if not (value.size and np.all((value >= 0) & (value <= 1))):
        raise Bad(f"alpha {alpha!r}: give a probability, from 0 to 1")
    return Alike(value if value.ndim else float(value))


def _said(words: str) -> Acceptance:
    if not words.strip():
        raise Bad("alpha is empty: give 0.8, or 0.9,0.8,0.7, or the name of a .json")
    try:
        rates = [float(word) for word in words.split(",")]
    except ValueError:
        return Positions(read(words))
    return acceptance(rates if len(rates) > 1 else rates[0])


def read(file: str) -> tuple[float, ...]:
    """Rates by position of a JSON file, as `specsim generate --json` writes it."""
    try:
        with open(file, encoding="utf-8") as lines:
            said = json.load(lines)
    except OSError as error:
        raise Bad(f"alpha {file!r}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Bad(f"alpha {file!r}: not a JSON file") from None
    rates = said.get("acceptance") if isinstance(said, dict) else None
    if not isinstance(rates, list):
        raise Bad(f'alpha {file!r}: wants {{"acceptance": [rate of token 1, 2, ...]}}')
    return _probabilities(rates)


def _probabilities(rates: Sequence[Any]) -> tuple[float, ...]:
    fine = [
        isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each <= 1
        for each in rates
    ]
    if not (fine and all(fine)):
        raise Bad(f"alpha {list(rates)}: give one or more probabilities, from 0 to 1")
    return tuple(map(float, rates))
