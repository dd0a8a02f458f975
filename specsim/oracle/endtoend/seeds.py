"""Seeds: the same one gives the same text in any company, others give others."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from specsim.oracle.endtoend.cases import LENGTH, PROMPTS, sampled
from specsim.oracle.endtoend.drawing import Session
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.request import Request
from specsim.oracle.exact import Tokens

ALIKE = 8
"""Texts with different seeds for each prompt."""
ALONE = 3
"""Requests that are asked alone as well."""
MOST_CHANGED = 0.1
"""The share of texts that may change with the company: where a row in another batch is
rounded otherwise, a coin now and then falls on the other side.
"""


def asked() -> list[Request]:
    return [
        replace(ask, seed=101 + seed) for seed, ask in product(range(ALIKE), sampled())
    ]


def judged(session: Session, law: Law, hurdle: float) -> tuple[str, str]:
    """A verdict, and what it rests on.

    hurdle: log10 E that refutes.
    Everything is asked together, then in the opposite order with twice as many
    neighbours, then a few alone.
    """
    requests = asked()
    first = _texts(session, requests)
    others = [replace(r, seed=r.seed + 1000) for r in requests]
    again = _texts(session, [*others, *reversed(requests)])[: -len(requests) - 1 : -1]
    alone = [_texts(session, [r])[0] for r in requests[:ALONE]]
    pairs = [*zip(first, again, strict=True), *zip(first, alone, strict=False)]
    changed = [n for n, (one, other) in enumerate(pairs) if one != other]
    if len(changed) > MOST_CHANGED * len(pairs):
        one, other = pairs[changed[0]]
        return "rejected", (
            f"the same seed gave another text in other company in {len(changed)} of "
            f"{len(pairs)} cases: {[*one]}, then {[*other]}"
        )
    for prompt in PROMPTS:
        texts = [t for t, r in zip(first, requests, strict=True) if r.prompt == prompt]
        ask = Request(prompt, LENGTH)
        if len({*texts}) == 1 and _log10_odds(law, ask, texts) < -hurdle:
            return "rejected", f"{len(texts)} seeds all gave {[*texts[0]]}"
    kept = len(pairs) - len(changed)
    return "not_rejected", f"{kept} of {len(pairs)} texts kept in other company"


def _texts(session: Session, requests: Sequence[Request]) -> list[Tokens]:
    return [answer.tokens for answer in session.generate(requests)]


def _log10_odds(law: Law, ask: Request, texts: Sequence[Tokens]) -> float:
    """Log10 of the odds that all texts but the first come out as it did."""
    text = texts[0]
    rows = law.rows(ask, [text[:n] for n in range(len(text))])
    likely = sum(math.log10(r.p[t]) for r, t in zip(rows, text, strict=True) if r.p[t])
    return (len(texts) - 1) * likely
