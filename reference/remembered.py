"""Remembering what was made of rows: exact runs come by the same ones all the time."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
KEPT, WORDS = 2**14, 16
"""How many answers of a function are remembered; the longest row one is kept for."""


class _Row(NamedTuple):
    """A row that hashes. The dtype tells Fractions from floats, which may be equal."""

    dtype: Any
    entries: tuple[Any, ...]


def remembered(function: F) -> F:
    """`function` of rows (V,) and of other things that hash, asked once for each.

    Arguments go by position. The answer is shared: it must not be written to. Nothing
    is remembered of rows of more than WORDS words.
    """

    @lru_cache(KEPT)
    def kept(*frozen: Any) -> Any:
        return function(
            *(np.array(x.entries, x.dtype) if type(x) is _Row else x for x in frozen)
        )

    @wraps(function)
    def ask(*given: Any) -> Any:
        frozen = [_Row(x.dtype, (*x,)) if type(x) is np.ndarray else x for x in given]
        long = any(type(x) is _Row and len(x.entries) > WORDS for x in frozen)
        return function(*given) if long else kept(*frozen)

    return cast(F, ask)
