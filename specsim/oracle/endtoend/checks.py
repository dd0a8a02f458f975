"""What can be said of one answer at once: where it ends, and what it says of itself."""

import math
from collections.abc import Sequence

from specsim.errors import Bad
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.request import Answer, Request
from specsim.oracle.exact import Tokens

HALF = 0.02
"""Nats by which a logprob may be off where the engine keeps 16-bit floats."""
SINGLE = 1e-3
"""The same where it computes in 32 bits: far above rounding, far below any fault."""


class Wrong(Exception):
    """The answer breaks the request, in words."""


def completed(request: Request, answer: Answer, ends: Tokens = ()) -> Tokens:
    """The tokens, with the stop token that ended them though it was left out.

    Wrong: too many, too few, or some after a stop token. Bad: it cannot be told which
    stop token was left out.
    """
    tokens, stops = answer.tokens, {*request.stop_token_ids, *ends}
    most = request.max_tokens
    for at, token in enumerate(tokens[:-1]):
        if token in stops:
            raise Wrong(f"went on after stop token {token}, the {_th(at)} of {most}")
    if len(tokens) > most:
        raise Wrong(f"emitted {len(tokens)} tokens where {most} were asked for")
    if len(tokens) == most or (tokens and tokens[-1] in stops):
        return tokens
    if not stops:
        raise Wrong(f"ended after {len(tokens)} of {most} tokens, at no stop token")
    if len(stops) > 1:
        raise Bad(
            f"answer: it ended at one of the stop tokens {sorted(stops)} and does not "
            "say which: return the stop token too"
        )
    return (*tokens, *stops)


def logprob_error(
    law: Law, request: Request, answer: Answer, tolerance: float = math.inf
) -> float:
    """The most that a logprob of the answer is off. Wrong: by more than `tolerance`.

    Bad: the answer has none.
    """
    if answer.logprobs is None:
        raise Bad("answer: logprobs were asked for, and there are none")
    prefixes = [answer.tokens[:n] for n in range(len(answer.tokens))]
    worst = 0.0
    for prefix, row in zip(prefixes, law.rows(request, prefixes), strict=True):
        token, said = answer.tokens[len(prefix)], answer.logprobs[len(prefix)]
        true = math.log(row.p[token]) if row.p[token] else -math.inf
        error = 0.0 if said == true else abs(said - true)
        if error > tolerance:
            raise Wrong(
                f"the {_th(len(prefix))} token, {token} after {[*prefix]}, has logprob "
                f"{said:.4g} where {true:.4g} is right"
            )
        worst = max(worst, error)
    return worst


def counts(answers: Sequence[Answer]) -> tuple[str, str] | None:
    """A verdict on what the answers say of drafting, in words; None if nothing."""
    told = [a for a in answers if a.drafted is not None and a.accepted is not None]
    drafted, accepted = (
        sum(getattr(a, name) for a in told) for name in ("drafted", "accepted")
    )
    if not told:
        return None
    if not drafted:
        return "inconclusive", "speculation never ran: no token was drafted"
    if impossible := next(filter(None, map(_miscounted, told)), None):
        return "rejected", impossible
    share = f"{accepted / drafted:.0%}"
    return "not_rejected", f"{drafted} tokens drafted, {accepted} accepted ({share})"


def _miscounted(answer: Answer) -> str | None:
    """What cannot be in the counts of one answer; each step adds one token at most."""
    emitted, accepted = len(answer.tokens), answer.accepted or 0
    if accepted > (answer.drafted or 0):
        return f"{accepted} drafted tokens accepted of {answer.drafted}"
    if answer.steps is not None and emitted > accepted + answer.steps + 1:
        return f"{emitted} tokens in {answer.steps} steps with {accepted} accepted"
    return None


def _th(at: int) -> str:
    return {0: "1st", 1: "2nd", 2: "3rd"}.get(at, f"{at + 1}th")
