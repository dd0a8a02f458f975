"""What speculation buys by the closed forms, for a given acceptance and draft cost.

The forms are those of Leviathan, Kalman and Matias (reference/theory.py): every token
drafted is accepted with the same probability alpha if all before it were, and verifying
the draft costs as much as one plain step. https://arxiv.org/abs/2211.17192
"""

import operator
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from specsim import seam
from specsim.errors import Bad

LONGEST = 1000


@dataclass(frozen=True)
class Counts:
    """Accepted and drafted tokens as engines count them, and what they amount to.

    ratio: accepted over drafted. naive_tokens_per_step: what taking it for alpha says.
    """

    accepted: float
    drafted: float
    ratio: float
    naive_tokens_per_step: float


@dataclass(frozen=True)
class Speedup:
    """Tokens per step and speed-up at k, and at the best k, 0 (no draft) to 1000.

    best_speedup is never less than speedup. counts is where alpha came from, None if
    it was given.
    """

    alpha: float
    k: int
    draft_cost: float
    tokens_per_step: float
    speedup: float
    best_k: int
    best_speedup: float
    counts: Counts | None

    def as_dict(self) -> dict[str, Any]:
        """What `specsim speedup --json` prints."""
        return asdict(self)


def speedup(
    alpha: float | None = None,
    *,
    k: int,
    draft_cost: float,
    accepted: float | None = None,
    drafted: float | None = None,
) -> Speedup:
    """The speed-up of drafting k tokens at `draft_cost` plain steps each.

    Give alpha, the probability that a token is accepted if all before it were; or the
    counts accepted and drafted, whose ratio is not alpha but determines it (at k = 1
    it is alpha). Bad on anything outside its range.

    >>> made = speedup(0.8, k=4, draft_cost=0.05)
    >>> round(made.tokens_per_step, 4), round(made.speedup, 3), made.best_k
    (3.3616, 2.801, 8)
    """
    theory = seam.reference("theory")
    counts = _counts(alpha, accepted, drafted)
    k = _length(k, least=1 if counts else 0)
    draft_cost = _number("draft_cost", draft_cost, least=0)
    if counts:
        alpha = theory.alpha_from_counts(*counts, k)
    alpha = _number("alpha", alpha, least=0, most=1)
    best, best_speedup = _best(alpha, k, draft_cost)
    return Speedup(
        alpha=alpha,
        k=k,
        draft_cost=draft_cost,
        tokens_per_step=theory.tokens_per_step(alpha, k),
        speedup=theory.speedup(alpha, k, draft_cost),
        best_k=best,
        best_speedup=best_speedup,
        counts=counts and _converted(*counts, k),
    )


def _best(alpha: float, k: int, draft_cost: float) -> tuple[int, float]:
    """The best length and its speed-up; k itself where rounding stopped the search."""
    theory = seam.reference("theory")
    found = theory.best_k(alpha, draft_cost, longest=LONGEST)
    pairs = [(each, theory.speedup(alpha, each, draft_cost)) for each in (found, k)]
    return max(pairs, key=lambda pair: pair[1])


def _converted(accepted: float, drafted: float, k: int) -> Counts:
    ratio = accepted / drafted
    naive = seam.reference("theory").tokens_per_step(ratio, k)
    return Counts(accepted, drafted, ratio, naive)


def _counts(
    alpha: float | None, accepted: float | None, drafted: float | None
) -> tuple[float, float] | None:
    """The two counts, None if alpha was given instead."""
    if alpha is not None:
        if accepted is not None or drafted is not None:
            raise Bad("alpha and counts exclude each other: give one of them")
        return None
    if accepted is None or drafted is None:
        raise Bad("give alpha, or both accepted and drafted")
    total = _number("drafted", drafted, least=1)
    return _number("accepted", accepted, least=0, most=total), total


def _number(
    name: str, value: float | None, least: float, most: float = float("inf")
) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not (least <= number <= most and isfinite(number)):
        span = f"from {least:g} to {most:g}" if isfinite(most) else f"{least:g} or more"
        raise Bad(f"{name} {value!r}: give a number, {span}")
    return number


def _length(k: int, least: int) -> int:
    try:
        number = operator.index(k)
    except TypeError:
        number = -1
    if isinstance(k, bool) or not least <= number <= LONGEST:
        raise Bad(
            f"k {k!r}: give a whole number of drafted tokens, {least} to {LONGEST}"
        )
    return number


def text(made: Speedup) -> str:
    """The same for people."""
    lines = [
        f"acceptance   alpha {_rate(made.alpha)}, each token given those before it",
        f"draft        k {made.k}, {made.draft_cost:.12g} plain steps a token",
        f"tokens       {made.tokens_per_step:.4g} a step",
        f"speed-up     {made.speedup:.3f}x",
        f"best         {_longest(made)}",
    ]
    if made.counts is not None:
        lines += ["", *_said(made.counts, made.k)]
    return "\n".join(lines)


def _longest(made: Speedup) -> str:
    if made.best_k == 0:
        return "no draft: at this cost none speeds decoding up"
    endless = made.best_k == LONGEST or made.draft_cost == 0
    return f"k {made.best_k}{' or more' if endless else ''}, {made.best_speedup:.3f}x"


def _said(counts: Counts, k: int) -> list[str]:
    """What accepted / drafted is worth."""
    ratio = (
        f"accepted / drafted is {counts.accepted:.12g} / {counts.drafted:.12g} = "
        f"{_rate(counts.ratio)}; "
    )
    if k == 1:
        return [f"{ratio}at k = 1 it is alpha: every token drafted is tested."]
    if counts.ratio in (0, 1):
        which = "all" if counts.ratio else "none"
        return [f"{ratio}with {which} accepted it is alpha."]
    return [
        f"{ratio}it is not alpha: tokens after a rejection",
        f"are drafted but never tested. Taken for alpha it would say "
        f"{counts.naive_tokens_per_step:.4g} tokens a step.",
    ]


def _rate(value: float) -> str:
    """Four digits, or as many as it takes not to say 1 of what is less."""
    digits = (f"{value:.{count}g}" for count in range(4, 18))
    return next(said for said in digits if value == 1 or float(said) != 1)
