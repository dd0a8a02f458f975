"""What a Python drafter promises, checked call by call. Runs in the child process.

    draft(model, context, k, *, rng)        or draft(model, context, k, *, draft)

model:   the small language model: a text, as token ids, in; its row (V,) out.
context: the text so far, token ids.
k:       the most levels to draft.
rng:     a NumPy Generator, the only luck there is; or
draft:   uniforms (COINS,), number i for the token of node i.
temperature, if the drafter takes it: raise the rows to 1 / temperature; at 0 draft the
         likeliest tokens.

It returns a chain, `(tokens, q)`, or a tree, `(tokens, parents, q, kind)`, in the order
and with the meaning of reference/proposal.Proposal. q is None where no luck was used.
A drafter that needs no luck takes neither rng nor draft.
"""

import inspect
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.errors import Bad
from specsim.oracle.engines.contract import short

COINS = 64
"""Uniforms that a drafter is given: one for each node of its draft."""
KINDS = "fixed", "iid", "without_replacement", "hub"
Row = tuple[float, ...]


@dataclass(frozen=True)
class Asked:
    """One call of a drafter.

    rows: (R, V); the model's row after a text is number `turn(text) % R` of them.
    """

    rows: Sequence[Sequence[float]]
    context: Sequence[int]
    k: int
    temperature: float | None = None

    def model(self, text: Sequence[int]) -> NDArray[np.float64]:
        """A fresh row (V,)."""
        return np.array(self.rows[turn(text) % len(self.rows)], dtype=float)

    def arguments(self) -> tuple[Any, ...]:
        return self.model, [*self.context], self.k


class Drafted(NamedTuple):
    """A drafter's answer."""

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    q: tuple[Row, ...] | None
    kind: str


def turn(text: Sequence[int]) -> int:
    """A number that changes with every token and with their order."""
    return sum((i + 1) * (int(token) + 1) for i, token in enumerate(text))


def takes(function: Callable[..., Any]) -> set[str]:
    """The names of a function's parameters; of one that hides them, only rng."""
    try:
        return {*inspect.signature(function).parameters}
    except (TypeError, ValueError):
        return {"rng"}


def drafted(answer: Any, asked: Asked) -> Drafted:
    """The answer, copied. Bad if it breaks the contract."""
    if not isinstance(answer, (tuple, list)) or len(answer) not in (2, 4):
        raise Bad(
            f"drafter returned {short(answer)}: return (tokens, q) or "
            "(tokens, parents, q, kind)"
        )
    tokens, q = ids(answer[0], "tokens"), answer[-2 if len(answer) == 4 else -1]
    n, vocab = len(tokens), len(asked.rows[0])
    parents = ids(answer[1], "parents") if len(answer) == 4 else (*range(-1, n - 1),)
    kind = answer[3] if len(answer) == 4 else "fixed" if q is None else "iid"
    if kind not in KINDS:
        raise Bad(
            f"drafter returned kind {short(kind)}: choose from {', '.join(KINDS)}"
        )
    for token in tokens:
        if not 0 <= token < vocab:
            raise Bad(f"drafter returned token {token}, not in 0..{vocab - 1}")
    check_tree(parents, n, asked.k)
    if q is None and kind != "fixed":
        raise Bad(f"drafter returned q None for a draft that is {kind}, not fixed")
    return Drafted(tokens, parents, None if q is None else table(q, n, vocab), kind)


def check_tree(parents: tuple[int, ...], n: int, k: int) -> None:
    """Bad unless `parents` are those of n nodes at most k deep, elders first."""
    if len(parents) != n:
        raise Bad(f"drafter returned {len(parents)} parents for {n} tokens")
    depth = {-1: 0}
    for node, parent in enumerate(parents):
        if parent not in depth:
            raise Bad(f"drafter returned {parent} as parent of node {node}: not above")
        depth[node] = depth[parent] + 1
    if max(depth.values()) > k:
        raise Bad(f"drafter returned {max(depth.values())} levels where k is {k}")


def table(q: Any, n: int, vocab: int) -> tuple[Row, ...]:
    """Declared rows as tuples of floats. Bad unless finite, 0 or more, and (n, V)."""
    try:
        rows = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise Bad(f"drafter returned q {short(q)}, not rows of numbers") from None
    if rows.size == 0 == n:
        return ()
    if rows.shape != (n, vocab):
        raise Bad(f"drafter returned q of shape {rows.shape}, not {(n, vocab)}")
    if not (np.isfinite(rows).all() and (rows >= 0).all()):
        raise Bad("drafter returned a q that is negative, infinite or not a number")
    return tuple(tuple(row) for row in rows.tolist())


def ids(values: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        raise Bad(f"drafter returned {name} {short(values)}, not integers") from None
