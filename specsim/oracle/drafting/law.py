"""What must hold of a draft: each token is a fair draw from the row declared for it.

Node i is judged given all that stands before it: the nodes before, with their rows, and
its own parent and row. If its token then has the law of its row, whatever decides how
many nodes there are and where, the whole draft has the law that it declares, and a
rule that trusts q is fed what its proof assumes. Nothing may be chosen by a token that
was drawn already: neither whether it is there, nor its place, nor its row.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from specsim.oracle.drafting.contract import Drafted, Row
from specsim.oracle.exact import Gap

Law = dict[Drafted, Fraction]
ROUNDING = 2.0**-16
"""What 32-bit floats may do to odds."""


class History(NamedTuple):
    """All that a node's token is judged given. row: None where there was no luck."""

    before: Drafted
    parent: int
    row: Row | None


def histories(one: Drafted) -> Iterator[tuple[History, int]]:
    """Each node's history, and its token."""
    for i, (token, parent) in enumerate(zip(one.tokens, one.parents, strict=True)):
        q = None if one.q is None else one.q[:i]
        before = Drafted(one.tokens[:i], one.parents[:i], q, one.kind)
        yield History(before, parent, one.q[i] if one.q else None), token


def gaps(law: Law) -> list[tuple[Drafted, Gap]]:
    """Where a token does not have the odds of its row: nodes before it, and the gap."""
    seen: dict[History, dict[int, Fraction]] = {}
    for one, odds in law.items():
        for history, token in histories(one):
            tokens = seen.setdefault(history, {})
            tokens[token] = tokens.get(token, Fraction()) + odds
    found = []
    for history, tokens in seen.items():
        total = sum(tokens.values(), Fraction())
        for token, want in enumerate(wanted(history, tokens)):
            got = tokens.get(token, Fraction()) / total
            gap = Gap(history.before.tokens, token, Fraction(want), got)
            if gap.want != gap.got:
                found.append((history.before, gap))
    return sorted(found, key=lambda each: (len(each[1].prefix), -each[1].size))


def wanted(history: History, tokens: Iterable[int]) -> Row:
    """The declared row; without one, certainty of a token that does come."""
    if history.row is not None:
        return history.row
    first = min(tokens)
    return tuple(float(token == first) for token in range(max(tokens) + 1))


def complaints(one: Drafted) -> Iterator[str]:
    """What is wrong with the rows, or with how the siblings are said to come about."""
    if one.q is None:
        return
    for i, row in enumerate(one.q):
        if abs(sum(row) - 1) > ROUNDING:
            yield f"the row of node {i} sums to {sum(row):.6g}, not 1"
            return
    for i, parent in enumerate(one.parents):
        elders = [j for j in range(i) if one.parents[j] == parent]
        yield from siblings(one, i, elders)


def siblings(one: Drafted, i: int, elders: list[int]) -> Iterator[str]:
    """What is wrong with node i beside its elder siblings."""
    assert one.q is not None
    row, token = one.q[i], one.tokens[i]
    if one.kind == "fixed" and row[token] != 1:
        yield f"node {i} of a fixed draft has a row that is not one-hot"
    if one.kind == "iid" and any(not close(row, one.q[j]) for j in elders):
        yield f"node {i} has not the row of its independent siblings"
    taken = {one.tokens[j] for j in elders}
    if one.kind in ("without_replacement", "hub") and any(row[x] for x in taken):
        yield f"the row of node {i} still has an elder sibling in it"
    if one.kind == "without_replacement" and elders:
        rest = [0 if x in taken else w for x, w in enumerate(one.q[elders[0]])]
        scaled = [w / sum(rest) for w in rest] if any(rest) else rest
        if not close(row, scaled):
            yield f"the row of node {i} is not that of its elders without their tokens"


def close(row: Iterable[float], other: Iterable[float]) -> bool:
    return all(abs(a - b) <= ROUNDING for a, b in zip(row, other, strict=True))


def follows(hot: Row, cold: Row, temperature: float) -> bool:
    """Whether `cold` is the row `hot`, of temperature 1, at that temperature."""
    weights = [w ** (1 / temperature) for w in hot]
    return close(cold, [w / sum(weights) for w in weights])
