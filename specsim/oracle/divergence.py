"""Is this divergence a bug or a tie?

Two greedy transcripts of one prompt, without speculation and with, agree up to some
index. The rows there are of one context, so they differ by numerics alone, unless
something is wrong; and numerics can turn the choice only where the two tokens are
nearer to each other than twice what the rows differ by.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from typing import Any, Literal

from specsim.errors import Bad

Verdict = Literal["same", "tie", "numerics", "logic", "inconclusive"]
Row = Mapping[int, float]
"""Logits or logprobs by token id: of all tokens, or of the likeliest."""
EXIT: dict[Verdict, int]
EXIT = {"same": 0, "tie": 0, "numerics": 0, "logic": 1, "inconclusive": 3}
ROUNDING = 1e-3
"""Nats: a tie, as logprobs are printed."""
TOLERANCE = 0.25
"""Nats that 16-bit arithmetic may well turn, where nothing was measured: two steps of a
bfloat16 logit between 16 and 32.
"""
GROSS = 1.0
"""Nats between two rows of one context that no rounding explains."""


@dataclass(frozen=True)
class Transcript:
    """One greedy run. Rows are by position, None where they are not known.

    narrow, wide: the same rows computed with one token a pass, and with a whole draft.
    vocab:  how many logits the shortest whole row has, if there is one.
    """

    tokens: tuple[int, ...]
    prompt: tuple[int, ...] = ()
    rows: tuple[Row | None, ...] = ()
    narrow: tuple[Row | None, ...] = ()
    wide: tuple[Row | None, ...] = ()
    vocab: int | None = field(default=None, kw_only=True)

    def known(self, index: int) -> list[Row]:
        """The rows that the token at an index was chosen from, as far as given."""
        given = [each[index] for each in (self.rows, self.narrow) if index < len(each)]
        return [row for row in given if row is not None]


@dataclass(frozen=True)
class Divergence:
    """The verdict, and what it rests on; None where it is not known.

    index:  of the first token that differs. plain, spec: the two tokens there.
    margin: nats by which the plain row prefers its own token.
    spread: nats by which two rows of that context differ, and what they are.
    plain_varies: whether runs without speculation differ among themselves.
    """

    verdict: Verdict
    reason: str
    index: int | None = None
    plain: int | None = None
    spec: int | None = None
    margin: float | None = None
    spread: float | None = None
    measured: str = ""
    plain_varies: bool = False

    @property
    def exit_code(self) -> int:
        return EXIT[self.verdict]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """The page."""
        lines = [f"{self.verdict.upper()}  {self.reason}"]
        if self.index is not None:
            lines.append(
                f"  first divergence at token {self.index}: "
                f"plain {_token(self.plain)}, speculative {_token(self.spec)}"
            )
        if self.margin is not None:
            lines.append(f"  margin {self.margin:.4g} nats in the plain row")
        if self.spread is not None:
            lines.append(f"  rows differ by {self.spread:.4g} nats: {self.measured}")
        if self.plain_varies:
            lines.append("  plain runs differ among themselves")
        return "\n".join(lines)


def diverge(
    plain: Sequence[Transcript],
    spec: Transcript,
    reference: Row | None = None,
    tolerance: float | None = None,
) -> Divergence:
    """Compare a speculative transcript with one or more plain ones.

    reference: the row at the first divergence as another model says it, for transcripts
               that have none.
    tolerance: nats that numerics may turn; None: measured where it can be.
    Of several plain runs the nearest counts. Bad: no plain run, or no tokens.
    """
    if not plain or not all(run.tokens for run in (*plain, spec)):
        raise Bad("a transcript without tokens: nothing was run")
    varies = len({run.tokens for run in plain}) > 1
    nearest = max(plain, key=lambda run: agreed(run.tokens, spec.tokens))
    index = agreed(nearest.tokens, spec.tokens)
    if nearest.tokens == spec.tokens:
        what = "one of the plain runs" if varies else "the plain run"
        return Divergence(
            "same", f"the tokens are those of {what}", plain_varies=varies
        )
    if index in (len(nearest.tokens), len(spec.tokens)):
        return _longer(nearest, spec, index, varies)
    return _judged(nearest, spec, index, varies, reference, tolerance)


def agreed(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts begin with alike.

    >>> agreed([1, 2, 3], [1, 2, 4, 5])
    2
    """
    alike = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], alike))


def _longer(
    plain: Transcript, spec: Transcript, index: int, varies: bool
) -> Divergence:
    """One goes on where the other ends: no row chooses that."""
    a, b = (
        run.tokens[index] if index < len(run.tokens) else None for run in (plain, spec)
    )
    who = "speculative" if a is None else "plain"
    reason = f"all tokens agree, but the {who} run goes on: look at stops and lengths"
    return Divergence("logic", reason, index, a, b, plain_varies=varies)


def _judged(
    plain: Transcript,
    spec: Transcript,
    index: int,
    varies: bool,
    reference: Row | None,
    tolerance: float | None,
) -> Divergence:
    a, b = plain.tokens[index], spec.tokens[index]
    spread, measured = spreading(plain, spec, index)
    rows = [*plain.known(index), *([] if reference is None else [reference])]
    margins = [preference(row, a, b) for row in rows]
    margin = next((each for each in margins if each is not None), None)
    unknown = f"no row is given at index {index}, so no margin is known"
    if rows:
        unknown = f"the row at index {index} has no finite entry for token {a} or {b}"
    verdict, reason = classified(margin, spread, tolerance, unknown)
    if varies and verdict in ("logic", "inconclusive"):
        verdict, reason = _baseline(reason, plain, index)
    return Divergence(
        verdict, reason, index, a, b, margin, spread, measured, plain_varies=varies
    )


def _baseline(reason: str, plain: Transcript, index: int) -> tuple[Verdict, str]:
    return "inconclusive", f"plain runs vary by themselves; besides, {reason}"


def classified(
    margin: float | None, spread: float | None, tolerance: float | None, unknown: str
) -> tuple[Verdict, str]:
    """Verdict and reason, of the margin and of what rows differ by, both in nats.

    unknown: why there is no margin, where there is none.
    """
    if spread is not None and spread > GROSS:
        return "logic", "the rows of one context differ more than rounding can"
    if margin is None:
        return "inconclusive", unknown
    if abs(margin) <= ROUNDING:
        return "tie", "the two tokens are equally likely, and either is right"
    if margin < 0:
        return "inconclusive", "the plain row prefers the other token: is it greedy?"
    if tolerance is None and spread is not None:
        if margin <= 2 * spread:
            return "numerics", "the rows differ by enough to turn the choice"
        return "logic", "the rows agree too well for numerics to turn the choice"
    limit = TOLERANCE if tolerance is None else tolerance
    if margin <= limit:
        return "numerics", f"a margin up to {limit:g} nats is within numerics"
    return "logic", f"a margin over {limit:g} nats is beyond numerics"


def spreading(
    plain: Transcript, spec: Transcript, index: int
) -> tuple[float | None, str]:
    """By how many nats two rows of the context differ, the widest pair there is."""
    pairs = {
        "one token a pass against a whole draft": (plain.narrow, plain.wide),
        "the same, of the speculative run": (spec.narrow, spec.wide),
        "the plain run's against the speculative one's": (plain.rows, spec.rows),
    }
    for what, (one, other) in pairs.items():
        if index < len(one) and index < len(other):
            a, b = one[index], other[index]
            if a and b and len(a.keys() & b.keys()) > 1:
                return distance(a, b), what
    return None, ""


def distance(one: Row, other: Row) -> float:
    """The largest difference on the tokens that both have, a constant apart: logits
    may be shifted against each other.

    >>> distance({1: 0.0, 2: -1.0}, {1: 5.0, 2: 4.5})
    0.25
    """
    off = [
        one[token] - other[token]
        for token in one.keys() & other.keys()
        if math.isfinite(one[token]) and math.isfinite(other[token])
    ]
    return (max(off) - min(off)) / 2 if off else math.inf


def preference(row: Row, token: int, other: int) -> float | None:
    """Nats by which the row prefers `token` to `other`; at least so many where one is
    not among the likeliest. None where neither is, or neither has any odds.
    """
    if not any(math.isfinite(row.get(each, -math.inf)) for each in (token, other)):
        return None
    least = min(row.values())
    return row.get(token, least) - row.get(other, least)


def _token(token: int | None) -> str:
    return "ends" if token is None else str(token)
