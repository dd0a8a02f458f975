"""What a Python engine promises, checked call by call. Runs in the child process.

verify(p, q, tokens, *, rng) and/or verify(p, q, tokens, *, accept, sample), and the
same for verify_tree with parents and kind behind tokens.
"""

import importlib
import inspect
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.errors import Bad

OPERATIONS = "verify", "verify_tree"
LATER = "draft", "generate", "step"
Block = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """One call of an engine: rows p (N+1, V) and q (N, V) as nested lists of floats."""

    operation: str
    p: list[list[float]]
    q: list[list[float]]
    tokens: list[int]
    parents: list[int]
    kind: str

    def arguments(self) -> tuple[Any, ...]:
        """Fresh arrays: an engine may scribble on them without being misjudged."""
        p, q = np.array(self.p, dtype=float), np.array(self.q, dtype=float)
        tokens = np.array(self.tokens, dtype=np.int64)
        if self.operation == "verify":
            return p, q, tokens
        return p, q, tokens, np.array(self.parents, dtype=np.int64), self.kind


def load(spec: str) -> Any:
    """The engine `module:attribute`, imported. Bad if it is not to be had."""
    module, colon, attribute = spec.partition(":")
    if not (module and colon and attribute):
        raise Bad(f"engine {spec!r}: write it as module:attribute")
    try:
        engine = operator.attrgetter(attribute)(importlib.import_module(module))
    except ModuleNotFoundError as error:
        raise Bad(
            f"engine {spec!r}: {error}; run where the module lies or set PYTHONPATH"
        ) from None
    except AttributeError as error:
        raise Bad(f"engine {spec!r}: {error}") from None
    except Exception as error:
        raise Bad(f"engine {spec!r}: importing it failed: {told(error)}") from None
    return engine() if inspect.isclass(engine) else engine


def operations(engine: Any) -> dict[str, Callable[..., Any]]:
    """The operations an engine offers by name; a bare callable is `verify`."""
    every = {
        name: getattr(engine, name)
        for name in (*OPERATIONS, *LATER)
        if callable(getattr(engine, name, None))
    }
    if not every and callable(engine):
        every = {"verify": engine}
    if not every:
        raise Bad(f"engine has none of {', '.join((*OPERATIONS, *LATER))} to call")
    return every


def modes(function: Callable[..., Any]) -> list[str]:
    """["rng"], ["coins"] or both, by the names of the parameters."""
    try:
        names = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = {"rng"}
    found = [
        mode
        for mode, needs in (("rng", {"rng"}), ("coins", {"accept", "sample"}))
        if needs <= names
    ]
    if not found:
        raise Bad(
            "engine takes neither `rng` nor `accept` and `sample`: "
            "write verify(p, q, tokens, *, rng)"
        )
    return found


def block(answer: Any, call: Call) -> Block:
    """An engine's answer as a tuple of token ids. Bad if it breaks the contract."""
    vocab, most = len(call.p[0]), len(call.tokens) + 1
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise Bad(f"engine returned {short(answer)}, not a list of token ids")
    try:
        tokens = tuple(operator.index(token) for token in answer)
    except TypeError:
        raise Bad(f"engine returned {short(answer)}, not a list of ints") from None
    if not 1 <= len(tokens) <= most:
        raise Bad(
            f"engine returned {len(tokens)} tokens for {most - 1} drafted, "
            f"where 1 to {most} are possible"
        )
    for token in tokens:
        if not 0 <= token < vocab:
            raise Bad(f"engine returned token {token}, not in 0..{vocab - 1}")
    return tokens


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def told(error: BaseException) -> str:
    """An exception on one line; our own needs no name."""
    if isinstance(error, Bad):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
