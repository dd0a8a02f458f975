"""The checks of a server, one row each: a new one is a function and a row."""

from collections.abc import Callable
from dataclasses import dataclass

from specsim.oracle.http.bench import Bench, Found
from specsim.oracle.http.checks import (
    drafts,
    law,
    lengths,
    logprobs,
    plain,
    state,
    stops,
    surface,
)
from specsim.oracle.mutants.loops import DRAFT, LOGPROBS, PROCESSORS, ROLLBACK, STOPS


@dataclass(frozen=True)
class Check:
    """A question to a server.

    needs: what it must offer (Server.offers), or "plain" and "reference".
    kinds: the kinds of fault that it is there for.
    """

    name: str
    run: Callable[[Bench], Found]
    needs: frozenset[str]
    kinds: tuple[str, ...]


def check(name: str, run: Callable[[Bench], Found], needs: str, *kinds: str) -> Check:
    """A row."""
    return Check(f"http/{name}", run, frozenset(needs.split()), kinds)


LAW, STATE, BATCHES, SEEDS, METRICS = (
    "law",
    "state over requests",
    "batches",
    "seeds",
    "metrics",
)
CHECKS = [
    check("length", lengths.lengths, "ids", STOPS),
    check("stop-strings", stops.strings, "stop temperature", STOPS),
    check("stop-strings/tokens", stops.tokens, "stop ids temperature", STOPS),
    check("stop-tokens", lengths.stop_tokens, "stop_token_ids ids", STOPS),
    check("end-token", lengths.end_token, "ids reference", STOPS),
    check("blocks", surface.blocks, "ids temperature", ROLLBACK),
    check(
        "repetition-penalty",
        surface.repetition,
        "ids temperature repetition_penalty",
        PROCESSORS,
    ),
    check(
        "presence-and-frequency-penalty",
        surface.presence_frequency,
        "ids temperature presence_penalty frequency_penalty logit_bias",
        PROCESSORS,
    ),
    check("bans", surface.bans, "ids logit_bias", PROCESSORS),
    check("limits-of-filters", surface.limits, "ids temperature", PROCESSORS),
    check("choice", surface.choice, "choice temperature", PROCESSORS),
    check("logprobs", logprobs.consistent, "ids logprobs", LOGPROBS),
    check("logprobs/forced", logprobs.forced, "ids logprobs tops", LOGPROBS, ROLLBACK),
    check("state/afterwards", state.afterwards, "ids temperature", STATE),
    check("state/together", state.together, "ids temperature", BATCHES),
    check("numerics", state.noise, "ids tops", BATCHES),
    check("canaries", state.canaries, "ids logit_bias", BATCHES),
    check("seeds", state.seeds, "ids seed", SEEDS),
    check("metrics", drafts.recount, "ids drafted", METRICS),
    check("reference/numerics", law.numerics, "reference ids tops", LAW),
    check("reference/stream", law.stream, "reference ids", LAW),
    *(
        check(
            f"reference/law/{name.replace('_', '-')}",
            law.against_reference(name),
            f"reference ids {' '.join(parameters)}",
            LAW,
        )
        for name, parameters in law.SURFACE.items()
    ),
    check("plain/greedy", plain.greedy, "plain ids temperature", LAW),
    check("plain/logprobs", plain.logprobs, "plain ids logprobs tops", LOGPROBS),
    *(
        check(
            f"plain/law/{name.replace('_', '-')}",
            law.against_plain(name),
            f"plain ids {' '.join(parameters)}",
            LAW,
        )
        for name, parameters in law.SURFACE.items()
    ),
    check("drift", drafts.drift, "drafted ids", DRAFT),
]
