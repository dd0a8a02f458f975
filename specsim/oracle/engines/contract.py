"""What a Python engine promises, checked call by call. Runs in the child process.

verify(p, q, tokens, *, rng) and/or verify(p, q, tokens, *, accept, sample), and the
same for verify_tree with parents and kind behind tokens. An engine whose attribute
`seeded` is true promises the same block for the same rng, and is held to that.
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
EXTRAS = {"q_none", "k0", "q_zero"}
"""What is only sent to engines whose attribute `accepts` asks for it: q = None for a
certain draft, an empty draft, and a drafted token of probability 0.
"""
SHAPES = "specsim.oracle.engines.shapes"
Block = tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """One call of an engine: rows p (N+1, V) and q (N, V) as nested lists of floats.

    q is None where the draft is certain, and only if the engine asks for that.
    """

    operation: str
    p: list[list[float]]
    q: list[list[float]] | None
    tokens: list[int]
    parents: list[int]
    kind: str

    def arguments(self) -> tuple[Any, ...]:
        """Fresh arrays: an engine may scribble on them without being misjudged."""
        p, q = np.array(self.p, dtype=float), None
        if self.q is not None:
            q = np.array(self.q, dtype=float).reshape(len(self.tokens), p.shape[1])
        tokens = np.array(self.tokens, dtype=np.int64)
        if self.operation == "verify":
            return p, q, tokens
        return p, q, tokens, np.array(self.parents, dtype=np.int64), self.kind


def load(spec: str) -> Any:
    """The engine `module:attribute`, imported. Bad if it is not to be had.

    `adapter(module:attribute)` is what the adapter makes of it: `module:attribute`
    itself, or one of specsim.oracle.engines.shapes by name.
    """
    adapter, opened, inner = spec.removesuffix(")").partition("(")
    if opened:
        adapt = imported(adapter if ":" in adapter else f"{SHAPES}:{adapter}")
        return _made(spec, lambda: adapt(imported(inner)))
    engine = imported(spec)
    return _made(spec, engine) if inspect.isclass(engine) else engine


def imported(spec: str) -> Any:
    """What `module:attribute` names. Bad if there is no such thing."""
    module, colon, attribute = spec.partition(":")
    if not (module and colon and attribute) or "/" in module or module.endswith(".py"):
        raise Bad(f"engine {spec!r}: write it as module:attribute, like sampler:verify")
    return _made(
        spec, lambda: operator.attrgetter(attribute)(importlib.import_module(module))
    )


def _made(spec: str, make: Callable[[], Any]) -> Any:
    """What `make` makes. Bad, and which engine it was, if it raises."""
    try:
        return make()
    except Bad:
        raise
    except ModuleNotFoundError as error:
        raise Bad(
            f"engine {spec!r}: {error}; run where the module lies or set PYTHONPATH"
        ) from None
    except AttributeError as error:
        raise Bad(f"engine {spec!r}: {error}") from None
    except Exception as error:
        raise Bad(f"engine {spec!r}: loading it failed: {told(error)}") from None


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


def extras(engine: Any) -> list[str]:
    """What the engine asks for besides. Bad if there is no such thing."""
    asked = set(getattr(engine, "accepts", ()))
    if not asked <= EXTRAS:
        names = ", ".join(sorted(map(str, asked - EXTRAS)))
        raise Bad(f"engine accepts {names}: there is only {', '.join(sorted(EXTRAS))}")
    return sorted(asked)


def modes(function: Callable[..., Any]) -> list[str]:
    """["rng"], ["coins"] or both, by the names of the parameters."""
    try:
        takes = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ["rng"]
    luck = {"rng": {"rng"}, "coins": {"accept", "sample"}}
    needed = {
        name
        for name in takes
        if name in {"rng", "accept", "sample"}
        and takes[name].default is inspect.Parameter.empty
    }
    found = [mode for mode in luck if needed <= luck[mode] <= takes.keys()]
    if not found:
        seeded = "; `seed` is no parameter here" if "seed" in takes else ""
        raise Bad(
            "engine takes neither `rng` nor `accept` and `sample`: write "
            f"verify(p, q, tokens, *, rng), rng a numpy.random.Generator{seeded}"
        )
    return found


def block(answer: Any, call: Call) -> Block:
    """An engine's answer as a tuple of token ids. Bad if it breaks the contract."""
    vocab, most = len(call.p[0]), depth(call) + 1
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise Bad(f"returned {short(answer)}, not a list of token ids")
    try:
        tokens = tuple(map(whole, answer))
    except TypeError:
        raise Bad(f"returned {short(answer)}, not a list of ints") from None
    if not 1 <= len(tokens) <= most:
        drafted = f"{most - 1} drafted"
        if call.operation == "verify_tree":
            drafted = f"a tree of depth {most - 1}"
        raise Bad(
            f"returned {len(tokens)} tokens for {drafted}, "
            f"where 1 to {most} are possible"
        )
    for token in tokens:
        if not 0 <= token < vocab:
            raise Bad(f"returned token {token}, not in 0..{vocab - 1}")
    return tokens


def depth(call: Call) -> int:
    """Tokens on the longest path of a draft: all of a chain.

    >>> depth(Call("verify_tree", [], None, [3, 4, 5], [-1, -1, 0], "iid"))
    2
    """
    if call.operation == "verify":
        return len(call.tokens)
    depths: dict[int, int] = {-1: 0}
    for node, parent in enumerate(call.parents):
        depths[node] = depths[parent] + 1
    return max(depths.values())


def whole(value: Any) -> int:
    """A whole number as a plain int. TypeError: it is none, or true or false."""
    if isinstance(value, bool):
        raise TypeError(f"{value} is no whole number")
    return operator.index(value)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def told(error: BaseException) -> str:
    """An exception on one line; our own needs no name."""
    if isinstance(error, Bad):
        return str(error)
    return printable(f"{type(error).__name__}: {error}", 300)


def printable(text: str, most: int = 200) -> str:
    """What a foreign program said, on one line and cut short."""
    words = " ".join(text[: 4 * most].split())
    return "".join(c if c.isprintable() else "?" for c in words)[:most]
