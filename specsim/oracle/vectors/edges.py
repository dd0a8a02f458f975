"""Edge vectors: every corner put to every rule that can be asked it."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from specsim.oracle.vectors import derive
from specsim.oracle.vectors.corners import CHAINS, PATHS, TREES, ZERO, Case
from specsim.oracle.vectors.vector import Rows, Step, Vector
from specsim.rules import Rule, Shape
from specsim.seam import randomness

MORE: dict[Shape, list[Case]] = {"chain": [], "tree": TREES, "paths": PATHS}
"""What a rule can be asked besides chains."""


def edge(rule: Rule) -> Iterator[Vector]:
    """Every case a rule can be asked; one vector for each set of coins it asks for."""
    seen = set()
    for case in [*CHAINS, *MORE[rule.shape]]:
        for accept, sample in product(case.accept, case.sample):
            vector = judged(case.flags, posed(rule, case, accept, sample))
            key = case.flags, *_decisive(vector)
            if key not in seen and (vector.refusal or sums_to_one(vector.target)):
                seen.add(key)
                yield vector


def sums_to_one(rows: Rows) -> bool:
    return all(
        sum(row) == over for row, over in zip(rows.weights, rows.over, strict=True)
    )


def posed(rule: Rule, case: Case, accept: Fraction, sample: Fraction) -> Step:
    """A case as a step; a rule that takes no proposal of its kind gets its first."""
    count = len(case.tokens)
    kind = case.kind if case.kind in rule.accepts else rule.accepts[0]
    parents = tuple(range(-1, count - 1)) if case.parents is None else case.parents

    def rows(weights: list[list[int]]) -> Rows:
        return Rows((case.over,) * len(weights), tuple(map(tuple, weights)))

    return Step(
        rule=rule.name,
        kind=kind,
        vocab=len(case.p[0]),
        target=rows(case.p),
        draft=None if kind == "fixed" else rows(case.q),
        tokens=case.tokens,
        parents=parents,
        accept=(accept,) * count,
        sample=(sample,) * (count + 1),
        race=((sample,) * rule.races * len(case.p[0]),)
        * (count + 1 if rule.races else 0),
    )


def judged(flags: tuple[str, ...], step: Step) -> Vector:
    """What exact arithmetic says; where it says nothing, the target's support."""
    answer = derive.by_replay(step)
    if answer is None:
        blocks, bits = tuple(derive.supported(step)), derive.SINGLE
        return Vector.of(
            step,
            "edge",
            blocks=blocks,
            margin=ZERO,
            bits=bits,
            flags=flags,
            refusal=True,
        )
    return Vector.of(
        step,
        "edge",
        blocks=(answer.block,),
        margin=answer.margin,
        bits=derive.bits(step, answer.block),
        flags=flags,
    )


def _decisive(step: Step) -> tuple[object, ...]:
    """The rows and those coins that the rule looks at."""
    answer = derive.by_replay(step)
    asked: dict[randomness.Coin, Fraction] = {}
    if answer:
        asked = {name: step.coin(name) for name in answer.asked}
    else:
        asked = {("accept", 0): step.accept[0]}
    coins = tuple(sorted(asked.items()))
    return step.target, step.draft, step.tokens, coins, step.race
