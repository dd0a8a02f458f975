"""A drafter as the child process asks it: its law, its draws, what it keeps."""

import inspect
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.oracle.drafting.contract import COINS, Asked, Drafted, drafted, takes
from specsim.oracle.engines import contract
from specsim.oracle.readings import scripted, standin, symbolic
from specsim.oracle.readings.cells import Unfollowable

Law = dict[Drafted, Fraction]
Draft = Callable[..., Any]
Answer = dict[str, Any]


def ask(draft: Draft, asked: Asked, /, **luck: Any) -> Any:
    """One call: what it returned."""
    if asked.temperature is not None:
        luck["temperature"] = asked.temperature
    return draft(*asked.arguments(), **luck)


def read(
    draft: Draft, asked: Asked, mode: str, reading: str, late: Callable[[], bool]
) -> Law:
    """The law of what is drafted, over the drafter's luck."""

    def run(path: symbolic.Path) -> Drafted:
        if mode == "certain":
            return drafted(ask(draft, asked), asked)
        if mode == "rng":
            return drafted(ask(draft, asked, rng=standin.StandIn(path)), asked)
        return drafted(ask(draft, asked, draft=standin.coins(path, COINS)[0]), asked)

    def scripted_run(rng: np.random.Generator) -> Drafted:
        return drafted(ask(draft, asked, rng=rng), asked)

    if reading == "symbolic":
        return symbolic.law(run, expired=late)
    return scripted.law(scripted_run, expired=late).law


def law(draft: Draft, asked: Asked, mode: str, reading: str, seconds: float) -> Answer:
    """The law as pairs of draft and odds, or why it cannot be read."""
    deadline = time.monotonic() + seconds
    try:
        found = read(draft, asked, mode, reading, lambda: time.monotonic() > deadline)
    except symbolic.TooManyPaths:
        return {"slow": f"too slow to read within {seconds:g} s"}
    except symbolic.NotAFunction as reason:
        return {"unsteady": str(reason)}
    except Unfollowable as reason:
        return {"unreadable": str(reason)}
    except Exception as error:
        return {"failed": contract.told(error)}
    return {"law": [[list(one), str(odds)] for one, odds in found.items()]}


def draws(
    draft: Draft, asked: Asked, mode: str, count: int, seed: int, seconds: float
) -> Answer:
    """Real drafts, up to `count` of them, from one seeded generator."""
    rng = np.random.default_rng(seed)
    deadline = time.monotonic() + seconds
    made: list[Drafted] = []
    while len(made) < count and (not made or time.monotonic() < deadline):
        made.append(drawn(draft, asked, mode, rng))
    return {"drafts": made}


def drawn(draft: Draft, asked: Asked, mode: str, rng: np.random.Generator) -> Drafted:
    return drafted(raw(draft, asked, mode, rng), asked)


def raw(draft: Draft, asked: Asked, mode: str, rng: np.random.Generator) -> Any:
    """One real call. Bad if the drafter raises."""
    luck: dict[str, dict[str, Any]]
    luck = {"rng": {"rng": rng}, "coins": {"draft": rng.random(COINS)}, "certain": {}}
    try:
        return ask(draft, asked, **luck[mode])
    except Exception as error:
        raise Bad(f"drafter raised {contract.told(error)}") from None


def kept(draft: Draft, first: Asked, then: Asked, mode: str) -> Answer:
    """Whether a draft is still what it was after another one was made."""
    rng = np.random.default_rng(0)
    answer = raw(draft, first, mode, rng)
    before = drafted(answer, first)
    drawn(draft, then, mode, rng)
    return {"kept": drafted(answer, first) == before}


def is_drafter(function: Callable[..., Any]) -> bool:
    """Whether it takes (model, context, k): what is called draft may be anything."""
    try:
        inspect.signature(function).bind_partial(*"mck")
    except TypeError:
        return False
    except ValueError:  # it has no signature to be looked at
        pass
    return True


def modes(draft: Draft) -> list[str]:
    """["rng"], ["coins"] or both, or ["certain"], by the names of the parameters."""
    named = takes(draft)
    both = [
        mode for mode, name in (("rng", "rng"), ("coins", "draft")) if name in named
    ]
    return both or ["certain"]
